import type { Template } from 'aws-cdk-lib/assertions';
import { operationNames, operations } from '../../../../functions/operations/operations.ts';
import { constructIdOf } from '../../../../infra/stack/recruitment-stack.ts';
import { propertiesOf, textOf } from '../../../support/stack.ts';
import type { Recorded } from './cloudwatch.ts';

/** A recorded event, such as a request, an execution of the pipe or a message in the queue. */
export interface Occurrence {
  /** The values for AWS's own metrics, by metric name. */
  aws?: Readonly<Record<string, number>>;
  /** The members of the log line that metric filters read. */
  line?: Readonly<Record<string, string>>;
  /** Whether the new version of a rollout handled the request. */
  isNew?: boolean;
}

/** The properties of a metric filter in CloudFormation. */
export interface Filter {
  FilterPattern: string;
  MetricTransformations: {
    MetricName: string;
    DefaultValue?: number;
    Dimensions?: { Key: string; Value: string }[];
  }[];
}

/** Returns whether a filter pattern matches a log line. It supports only the syntax of the stack's filters. */
export function matches(pattern: string, line: Readonly<Record<string, string>>): boolean {
  const terms = [...pattern.matchAll(/\$\.(\w+) (IS TRUE|!?= "([^"]*)")/g)].map(
    ([, member = '', operator, value]) => {
      const found = line[member];
      if (value === undefined) return found === 'true';
      if (value === '*') return found !== undefined;
      return operator?.startsWith('!') ? found !== value : found === value;
    },
  );
  return pattern.includes('&&') ? terms.every(Boolean) : terms.some(Boolean);
}

/** How often an event happened in each minute. */
export interface Happened {
  occurrence: Occurrence;
  counts: readonly number[];
}

/** Returns the metrics of recorded events: AWS's own metrics and the metrics of the stack's filters. */
export function recordedBy(template: Template, happened: readonly Happened[]): Recorded {
  const filters = filtersOf(template);
  return ({ MetricName: name, Dimensions = [] }) => {
    const dimensions = Object.fromEntries(Dimensions.map((it) => [it.Name, textOf(it.Value)]));
    const { FunctionName: ofFunction, ExecutedVersion: ofVersion } = dimensions;
    const filter = filters.find(({ MetricTransformations: [it] }) => it?.MetricName === name);
    const recordedOf = ({ aws, line, isNew }: Occurrence): number | undefined => {
      const isOther = ofFunction !== undefined && ofFunction !== functionOf(line);
      const value = isOther || (ofVersion !== undefined && !isNew) ? undefined : aws?.[name];
      const [made] = filter?.MetricTransformations ?? [];
      if (value !== undefined || !filter || !made || !line) return value;
      const version = isNew ? (dimensions.function_version ?? 'new') : 'old';
      const members: typeof dimensions = { ...DEFAULTS, ...line, function_version: version };
      const isCounted =
        matches(filter.FilterPattern, members) &&
        (made.Dimensions ?? []).every((it) => members[it.Key] === dimensions[it.Key]);
      return isCounted ? 1 : made.DefaultValue;
    };
    return happened.flatMap(({ occurrence, counts }) => {
      const value = recordedOf(occurrence);
      return value === undefined ? [] : [{ value, counts }];
    });
  };
}

const filters = new WeakMap<Template, Filter[]>();
function filtersOf(template: Template): Filter[] {
  const found =
    filters.get(template) ??
    (propertiesOf(template, 'AWS::Logs::MetricFilter') as unknown as Filter[]);
  filters.set(template, found);
  return found;
}

const DEFAULTS = { operation: 'getApplication' };
const functionOf = ({ operation = DEFAULTS.operation } = {}) =>
  operationNames
    .filter((name) => operations[name].operationId === operation)
    .map((name) => `${constructIdOf(name)}Function`)[0];
