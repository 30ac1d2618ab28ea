import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../../functions/contract/operations.ts';
import { stageNames } from '../../../../infra/settings/stages.ts';
import { ownDomain } from '../../../support/deployments.ts';
import { idOf, templateOf } from '../../../support/stack.ts';
import { alarmsOf, metricNamesOf } from './alarms.ts';

const template = templateOf({ stage: 'prod', ...ownDomain });
const alarms = alarmsOf(template);

describe.each([...alarms])('the alarm %s', (_, properties) => {
  it('tells the topic when it goes off and when it is over', () => {
    const topic = { Ref: idOf(template, 'AWS::SNS::Topic') };
    expect(properties).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
  });

  it('says what to look at first, and names runbooks that exist', () => {
    const { AlarmDescription: description } = properties;
    expect(description).toMatch(/Look first at .* Runbook: docs\/runbooks\/[\w-]+\.md$/s);
    for (const [, runbook] of description.matchAll(/([\w-]+\.md)/g)) {
      expect(existsSync(`docs/runbooks/${runbook}`), runbook).toBe(true);
    }
    // CloudWatch rejects longer ones.
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  it('goes off above its threshold, and not without data', () => {
    expect(properties).toMatchObject({
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
    });
    // CloudWatch's limit for an alarm on metric math.
    expect(metricNamesOf(properties).length).toBeLessThanOrEqual(10);
  });

  it('counts as 0 what AWS does not send because it is 0', () => {
    const { Metrics = [] } = properties;
    const expression = Metrics.find((it) => it.Expression)?.Expression;
    if (expression === undefined) return;
    const bare = expression.replaceAll(/FILL\(\w+, 0\)/g, '').match(/\b[a-z]\w*/g) ?? [];
    // Without a request, a latency or a day left there is nothing to go off about.
    expect(['requests', 'latency', 'days']).toEqual(expect.arrayContaining(bare));
  });
});

describe('the alarms', () => {
  it.each(stageNames)('are the same in %s as in production', (stage) => {
    const names = [...alarmsOf(templateOf({ stage })).keys()];
    expect([...names, 'certificate-ends']).toEqual([...alarms.keys()]);
  });

  it('see a bug of one operation at low traffic, whatever the others do', () => {
    for (const name of operationNames) {
      expect(alarms.get(`${name}-internal`)).toMatchObject({
        Threshold: 1,
        EvaluationPeriods: 1,
        Metrics: [
          {
            MetricStat: {
              Metric: {
                MetricName: 'failures',
                Dimensions: [
                  { Name: 'operation', Value: operations[name].operationId },
                  { Name: 'outcome', Value: 'internal' },
                ],
              },
              Period: 15 * 60,
              Stat: 'Sum',
            },
          },
        ],
      });
    }
  });

  it('see an outage at low traffic, though one request succeeds', () => {
    const { Metrics = [], ...outage } = alarms.get('outage') ?? {};
    expect(outage).toMatchObject({ Threshold: 1, EvaluationPeriods: 1, DatapointsToAlarm: 1 });
    const [{ Expression: expression = '' } = {}, ...read] = Metrics;
    // Two failures and one success are one; two rejected requests more change nothing.
    expect(expression).toBe(
      'IF(2 * FILL(errors, 0) > requests - FILL(rejected, 0), FILL(errors, 0), 0)',
    );
    for (const { MetricStat: it } of read) expect(it).toMatchObject({ Period: 15 * 60 });
  });
});
