import { describe, expect, it } from 'vitest';
import { propertiesOf, templateOf } from '../../support/stack.ts';

interface MetricFilter {
  MetricTransformations: { Dimensions?: { Key: string; Value: string }[] }[];
}

const filters = propertiesOf(
  templateOf({ stage: 'prod' }),
  'AWS::Logs::MetricFilter',
) as unknown as MetricFilter[];

describe('the metrics of the log lines', () => {
  it('are told apart by nothing that says who asked for what', () => {
    for (const { MetricTransformations: made } of filters) {
      for (const { Key: name, Value: member } of made.flatMap((it) => it.Dimensions ?? [])) {
        expect(['operation', 'outcome']).toContain(name);
        expect(member).toBe(`$.${name}`);
      }
    }
  });
});
