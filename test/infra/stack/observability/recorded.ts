import type { Template } from 'aws-cdk-lib/assertions';
import { operationNames, operations } from '../../../../functions/contract/operations.ts';
import { constructIdOf } from '../../../../infra/stack/recruitment-stack.ts';
import { propertiesOf, textOf } from '../../../support/stack.ts';
import type { Recorded } from './cloudwatch.ts';

/** Something that AWS's metrics or a function's log record: a request, a call of a pipe, a message in a queue. */
export interface Occurrence {
  /** What metrics of AWS record, by their names. */
  aws?: Readonly<Record<string, number>>;
  /** The members of its log line that filters read. */
  line?: Readonly<Record<string, string>>;
  /** Whether the version under rollout did it. */
  isNew?: boolean;
}

/** A metric filter in CloudFormation. */
export interface Filter {
  FilterPattern: string;
  MetricTransformations: {
    MetricName: string;
    DefaultValue?: number;
    Dimensions?: { Key: string; Value: string }[];
  }[];
}

/** Whether a filter counts a line: the part of the syntax that the filters of the functions' logs have. */
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

/** How often something happened in each minute. */
export interface Happened {
  occurrence: Occurrence;
  counts: readonly number[];
}

/** What metrics record of what happened: those of AWS, and those that the stack's filters count. */
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
