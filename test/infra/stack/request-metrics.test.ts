import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { constructIdOf } from '../../../infra/stack/recruitment-stack.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

interface MetricFilter {
  LogGroupName: { Ref: string };
  FilterPattern: string;
  MetricTransformations: { MetricName: string; Dimensions?: { Key: string; Value: string }[] }[];
}

const filters = propertiesOf(
  templateOf({ stage: 'prod' }),
  'AWS::Logs::MetricFilter',
) as unknown as MetricFilter[];

describe('the metrics of the log lines', () => {
  it.each(operationNames)('count failures, cold starts and changes of %s', (operation) => {
    const own = filters.filter(({ LogGroupName: { Ref: group } }) =>
      group.startsWith(`${constructIdOf(operation)}Logs`),
    );
    const failures = Object.entries(problemTypes)
      .filter(([, { status }]) => status >= 500)
      .map(([code]) => `($.outcome = "${code}")`);
    expect(
      Object.fromEntries(
        own.map((it) => [it.MetricTransformations[0]?.MetricName, it.FilterPattern]),
      ),
    ).toEqual({
      failures: `{ ${failures.join(' || ')} }`,
      cold_starts: '{ $.cold_start IS TRUE }',
      status_changes: '{ $.status_changed_to = "*" }',
    });
  });

  it('are told apart by nothing that says who asked for what', () => {
    for (const { MetricTransformations: made } of filters) {
      for (const { Key: name, Value: member } of made.flatMap((it) => it.Dimensions ?? [])) {
        expect(['operation', 'outcome']).toContain(name);
        expect(member).toBe(`$.${name}`);
      }
    }
  });
});
