import type { Template } from 'aws-cdk-lib/assertions';
import { propertiesOf } from '../stack.ts';
import { matches } from './pattern.ts';
import { render } from './template.ts';

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

/** The pipe of a synthesized template: what it makes of the records of a stream. */
export function pipeOf(template: Template): (records: readonly object[]) => BusEvent[] {
  const [properties] = propertiesOf(template, 'AWS::Pipes::Pipe') as unknown as PipeProperties[];
  if (properties === undefined) throw new Error('The template has no pipe.');
  const { SourceParameters: source, TargetParameters: target } = properties;
  const patterns = source.FilterCriteria.Filters.map(({ Pattern }) => JSON.parse(Pattern));
  return (records) =>
    records
      .filter((record) => patterns.some((pattern) => matches(pattern, record)))
      .map((record) => ({
        source: target.EventBridgeEventBusParameters.Source,
        detailType: target.EventBridgeEventBusParameters.DetailType,
        detail: JSON.parse(render(target.InputTemplate, record)),
      }));
}
