import { Ajv2020 } from 'ajv/dist/2020.js';

const name = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

/**
 * A line in CloudWatch's Embedded Metric Format, after the schema and the limits of AWS's page
 * "Specification: Embedded metric format".
 */
const schema = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      additionalProperties: false,
      properties: {
        Timestamp: { type: 'integer' },
        CloudWatchMetrics: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['Namespace', 'Dimensions', 'Metrics'],
            additionalProperties: false,
            properties: {
              Namespace: { ...name(255), pattern: '^[\\w.\\-/#:]+$', not: { pattern: '^AWS/' } },
              Dimensions: {
                type: 'array',
                minItems: 1,
                items: { type: 'array', maxItems: 30, items: name(250) },
              },
              Metrics: {
                type: 'array',
                minItems: 1,
                maxItems: 100,
                items: {
                  type: 'object',
                  required: ['Name'],
                  additionalProperties: false,
                  properties: {
                    Name: name(1024),
                    Unit: { enum: ['Count', 'None'] },
                    StorageResolution: { enum: [1, 60] },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string; Unit?: string }[];
}

interface EmbeddedMetrics {
  _aws: { Timestamp: number; CloudWatchMetrics: Directive[] };
}

/** A value that CloudWatch takes from a line. */
export interface Datum {
  namespace: string;
  metric: string;
  unit: string | undefined;
  value: number;
  dimensions: Record<string, string>;
}

const isEmbeddedMetrics = new Ajv2020({ strict: true }).compile<EmbeddedMetrics>(schema);

/**
 * What CloudWatch takes from a log line.
 * @throws Error if the line is not of the format, or names a member that it does not have.
 */
export function dataOf(line: Readonly<Record<string, unknown>>): Datum[] {
  if (!isEmbeddedMetrics(line)) {
    throw new Error(`Not of the format: ${JSON.stringify(isEmbeddedMetrics.errors)}`);
  }
  const members = line as Readonly<Record<string, unknown>>;
  return (line as EmbeddedMetrics)._aws.CloudWatchMetrics.flatMap(
    ({ Namespace: namespace, Dimensions, Metrics }) =>
      Dimensions.flatMap((names) =>
        Metrics.map(({ Name: metric, Unit: unit }) => ({
          namespace,
          metric,
          unit,
          value: numberIn(members, metric),
          dimensions: Object.fromEntries(names.map((each) => [each, textIn(members, each)])),
        })),
      ),
  );
}

/** A metric's target "must be either a numeric value or an array of numeric values". */
function numberIn(members: Readonly<Record<string, unknown>>, metric: string): number {
  const value = members[metric];
  if (typeof value !== 'number') throw new Error(`The metric ${metric} is no number.`);
  return value;
}

/** A dimension's target must be a string, of 1 to 1024 characters of ASCII. */
function textIn(members: Readonly<Record<string, unknown>>, dimension: string): string {
  const value = members[dimension];
  if (typeof value !== 'string' || !/^[\x21-\x7e][\x20-\x7e]{0,1023}$/.test(value)) {
    throw new Error(`The dimension ${dimension} is no text that CloudWatch takes.`);
  }
  return value;
}
