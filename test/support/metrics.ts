import { operationNames, operations } from '../../functions/contract/operations.ts';
import { constructIdOf } from '../../infra/stack/recruitment-stack.ts';
import { propertiesOf, templateOf } from './stack.ts';

interface MetricFilter {
  LogGroupName: { Ref: string };
  FilterPattern: string;
  MetricTransformations: {
    MetricNamespace: string;
    MetricName: string;
    MetricValue: string;
    Unit: string;
    Dimensions: { Key: string; Value: string }[];
  }[];
}

/** What CloudWatch makes of a log line: a value of one metric. */
export interface Datum {
  metric: string;
  unit: string;
  value: number;
  dimensions: Record<string, unknown>;
}

/** The metric filters of the log group of the function with this construct. */
function filtersOf(construct: string): MetricFilter[] {
  const filters = propertiesOf(templateOf({ stage: 'prod' }), 'AWS::Logs::MetricFilter');
  return (filters as unknown as MetricFilter[]).filter(({ LogGroupName: { Ref: id } }) =>
    id.startsWith(`${construct}Logs`),
  );
}

/** Of each function, by the operation that its log lines name. */
const filters = new Map<unknown, MetricFilter[]>(
  operationNames.map((name) => [operations[name].operationId, filtersOf(constructIdOf(name))]),
);

type Line = Readonly<Record<string, unknown>>;

/**
 * Whether a log line matches a filter pattern, of those that the stack uses: a member that is any string,
 * one of some strings, or true
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntaxForMetricFilters.html).
 * @throws Error if it is another pattern.
 */
function matches(pattern: string, line: Line): boolean {
  const alternatives = pattern.replace(/^\{ (.*) \}$/, '$1').split(' || ');
  return alternatives.some((alternative) => {
    const [, member = '', operand] =
      /^\(?\$\.(\w+) (?:=|IS) ("\*"|"\w+"|TRUE)\)?$/.exec(alternative) ?? [];
    if (operand === undefined) throw new Error(`These tests do not know the pattern ${pattern}.`);
    const value = line[member];
    if (operand === 'TRUE') return value === true;
    return operand === '"*"' ? typeof value === 'string' : value === JSON.parse(operand);
  });
}

/**
 * The values that the metric filters of the stack take from a line of a function's log.
 * @throws Error if a line names no operation, or lacks a dimension of a metric, which CloudWatch would then
 *   not count.
 */
export function dataOf(line: Line): Datum[] {
  const ofFunction = filters.get(line.operation);
  if (ofFunction === undefined)
    throw new Error(`No function writes ${line.operation} as operation.`);
  return ofFunction
    .filter(({ FilterPattern: pattern }) => matches(pattern, line))
    .flatMap(({ MetricTransformations: made }) =>
      made.map(({ MetricName: metric, MetricValue: value, Unit: unit, Dimensions: members }) => ({
        metric,
        unit,
        value: Number(value),
        dimensions: Object.fromEntries(
          members.map(({ Key, Value }) => [Key, dimension(line, Value)]),
        ),
      })),
    );
}

function dimension(line: Line, selector: string): string {
  const value = line[selector.replace(/^\$\./, '')];
  if (typeof value !== 'string') throw new Error(`The line has no ${selector}.`);
  return value;
}
