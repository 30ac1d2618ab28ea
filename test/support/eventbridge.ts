import type { Template } from 'aws-cdk-lib/assertions';
import { propertiesOf } from './stack.ts';

/** An event as a pipe puts it on a bus. */
export interface BusEvent {
  source: string;
  detailType: string;
  detail: Record<string, unknown>;
}

interface PipeProperties {
  SourceParameters: { FilterCriteria: { Filters: { Pattern: string }[] } };
  TargetParameters: {
    EventBridgeEventBusParameters: { Source: string; DetailType: string };
    InputTemplate: string;
  };
}

/** The event patterns of the pipe of a template, and what the pipe makes of the records of a stream. */
export function pipeOf(template: Template) {
  const [properties] = propertiesOf(template, 'AWS::Pipes::Pipe') as unknown as PipeProperties[];
  if (properties === undefined) throw new Error('The template has no pipe.');
  const { SourceParameters: source, TargetParameters: target } = properties;
  const patterns = source.FilterCriteria.Filters.map(({ Pattern }) => JSON.parse(Pattern));
  const { Source, DetailType } = target.EventBridgeEventBusParameters;
  const eventsFrom = (records: readonly object[]): BusEvent[] =>
    records
      .filter((record) => patterns.some((pattern) => matches(pattern, record)))
      .map((record) => ({
        source: Source,
        detailType: DetailType,
        detail: JSON.parse(render(target.InputTemplate, record)),
      }));
  return { patterns, eventsFrom };
}

/**
 * Whether an event of objects and strings matches an event pattern, by the part of EventBridge's
 * language that the pipe uses: members, equal strings, `exists` (its user guide, "Comparison operators
 * for use in event patterns"). docs/testing.md says how AWS's own engine is asked for the same.
 */
export function matches(pattern: unknown, event: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.some((expected) => meets(event, expected));
  if (!isObject(pattern)) throw new Error('A pattern is made of objects and lists.');
  return Object.entries(pattern).every(([name, expected]) => {
    if (name.startsWith('$')) throw new Error(`The operator ${name} is not supported.`);
    return matches(expected, isObject(event) ? event[name] : undefined);
  });
}

/** Whether a value of an event meets one alternative of a pattern; `exists` is about leaves. */
function meets(value: unknown, expected: unknown): boolean {
  if (!isObject(expected)) return value === expected;
  const { exists, ...others } = expected;
  if (typeof exists !== 'boolean' || Object.keys(others).length > 0) {
    throw new Error(`The comparison ${JSON.stringify(expected)} is not supported.`);
  }
  return (value !== undefined && !isObject(value)) === exists;
}

/**
 * What a pipe makes of an event by an input template whose variables are paths outside of quotation
 * marks: each stands as JSON, and one that leads nowhere does not appear ("Amazon EventBridge Pipes
 * input transformation").
 */
export function render(template: string, event: unknown): string {
  return template.replace(/"?<[^<>]*>"?/g, (variable) => {
    const [, path] = /^<\$\.([\w.]+)>$/.exec(variable) ?? [];
    if (path === undefined) throw new Error(`The variable ${variable} is not supported.`);
    const value = path
      .split('.')
      .reduce<unknown>((parent, step) => (isObject(parent) ? parent[step] : undefined), event);
    return JSON.stringify(value) ?? '';
  });
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
