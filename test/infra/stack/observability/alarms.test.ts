import { describe, expect, it } from 'vitest';
import { type StageName, stages } from '../../../../infra/settings/stages.ts';
import { runbooks } from '../../../../infra/stack/observability/alarms.ts';
import { alarmsOf, periodsOf } from '../../../support/alarms.ts';
import { observed } from '../../../support/observed.ts';
import { templateOf } from '../../../support/stack.ts';

const OF_REQUESTS = [
  'get-application-errors',
  'get-application-throttles',
  'latency-p99',
  'server-errors',
  'table-system-errors',
  'table-throttles',
  'throttled-requests',
  'update-job-status-errors',
  'update-job-status-throttles',
];

const { template, observability } = observed();
const alarms = alarmsOf(template);

describe('the alarms', () => {
  it('are of requests, functions, table and events', () => {
    expect([...alarms.keys()].toSorted()).toEqual(
      [...OF_REQUESTS, 'dead-letters', 'event-age'].toSorted(),
    );
  });

  it('are in the stack', () => {
    expect([...alarmsOf(templateOf({ stage: 'prod' })).keys()]).toEqual(
      expect.arrayContaining(OF_REQUESTS),
    );
  });

  it.each([...alarms.values()])('$AlarmName says when it sounds and when it is over', (alarm) => {
    const [topic] = Object.keys(template.findResources('AWS::SNS::Topic'));
    expect(alarm.AlarmActions).toEqual([{ Ref: topic }]);
    expect(alarm.OKActions).toEqual([{ Ref: topic }]);
  });

  it.each([...alarms.values()])('$AlarmName says what to do, and in which runbook', (alarm) => {
    const { AlarmDescription: description } = alarm;
    expect(description).toContain('Look first at');
    const [, named = ''] = /Runbook: docs\/runbooks\/([\w-]+)\.md$/.exec(description) ?? [];
    expect(runbooks).toContain(named);
    for (const [, other = ''] of description.matchAll(/([\w-]+)\.md/g)) {
      expect(runbooks).toContain(other);
    }
    // CloudWatch cuts off nothing: it refuses more.
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  it.each([...alarms.values()])(
    '$AlarmName sounds over its threshold, and not without data',
    (alarm) => {
      expect(alarm.ComparisonOperator).toBe('GreaterThanThreshold');
      expect(alarm.TreatMissingData).toBe('notBreaching');
      // CloudWatch's limit for an alarm on metric math.
      const metrics = (alarm.Metrics ?? []).filter(({ MetricStat }) => MetricStat);
      expect(metrics.length).toBeLessThanOrEqual(10);
    },
  );

  it('roll a version back that fails or is slow, and for nothing that is not its fault', () => {
    expect(observability.rollbackAlarms.map(({ node }) => node.id).toSorted()).toEqual([
      'latency-p99',
      'server-errors',
    ]);
  });
});

describe('the thresholds of production', () => {
  it.each([
    ['server-errors', 2],
    ['latency-p99', 1000],
    ['throttled-requests', 5],
    ['get-application-errors', 0],
    ['update-job-status-errors', 0],
    ['get-application-throttles', 0],
    ['update-job-status-throttles', 0],
    ['table-throttles', 0],
    ['table-system-errors', 0],
  ])('%s sounds over %d in three of five minutes', (name, threshold) => {
    const alarm = alarms.get(name);
    expect(alarm).toMatchObject({
      Threshold: threshold,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
    });
    expect(alarm && periodsOf(alarm)).toEqual(new Set([60]));
  });

  it('let no change be lost, nor be without its event for ten minutes', () => {
    expect(alarms.get('dead-letters')).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
    expect(alarms.get('event-age')).toMatchObject({
      Threshold: 0,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
    expect([...(alarms.get('event-age')?.Metrics ?? [])]).toContainEqual(
      expect.objectContaining({ MetricStat: expect.objectContaining({ Period: 300 }) }),
    );
  });
});

describe('the thresholds of a stage', () => {
  it.each(Object.keys(stages) as StageName[])('are those of the table: %s', (stage) => {
    const { template: other } = observed(stage);
    const of = alarmsOf(other);
    const { alarms: table } = stages[stage];
    const thresholds = {
      'server-errors': table.serverErrorPercent,
      'latency-p99': table.latencyP99Ms,
      'throttled-requests': table.throttledPercent,
      'get-application-errors': table.functionErrors,
      'update-job-status-throttles': table.functionThrottles,
      'table-throttles': table.tableThrottles,
      'table-system-errors': table.tableErrors,
    };
    for (const [name, threshold] of Object.entries(thresholds)) {
      const alarm = of.get(name);
      expect(alarm).toMatchObject({
        Threshold: threshold,
        EvaluationPeriods: table.periods,
        DatapointsToAlarm: table.periodsOver,
      });
      expect(alarm && periodsOf(alarm)).toEqual(new Set([table.periodMinutes * 60]));
    }
    expect(of.get('event-age')?.DatapointsToAlarm).toBe(table.eventAgeMinutes / 5);
    expect(of.get('event-age')?.EvaluationPeriods).toBe(table.eventAgeMinutes / 5 + 1);
  });

  it('are whole periods, of lengths that CloudWatch has', () => {
    for (const { alarms: table } of Object.values(stages)) {
      expect(table.eventAgeMinutes % 5).toBe(0);
      expect(table.periodsOver).toBeLessThanOrEqual(table.periods);
      // All periods of an alarm together are a day at most.
      expect(table.periods * table.periodMinutes).toBeLessThanOrEqual(24 * 60);
    }
  });
});
