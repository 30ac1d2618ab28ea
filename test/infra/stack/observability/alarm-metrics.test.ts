import { describe, expect, it } from 'vitest';
import { operations } from '../../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../../functions/domain/job.ts';
import { type AlarmProperties, alarmsOf, evaluated } from '../../../support/alarms.ts';
import { observed } from '../../../support/observed.ts';

const { template } = observed('prod');
const alarms = alarmsOf(template);

function alarm(name: string): AlarmProperties {
  const found = alarms.get(name);
  if (found === undefined) throw new Error(`There is no alarm ${name}.`);
  return found;
}

/** The metrics that an alarm looks at, as `namespace name statistic`. */
function sourcesOf({ Metrics = [], ...single }: AlarmProperties): string[] {
  const { Namespace, MetricName, Statistic, ExtendedStatistic } = single;
  const own = Namespace && `${Namespace} ${MetricName} ${Statistic ?? ExtendedStatistic}`;
  const others = Metrics.flatMap(({ MetricStat }) =>
    MetricStat
      ? [`${MetricStat.Metric.Namespace} ${MetricStat.Metric.MetricName} ${MetricStat.Stat}`]
      : [],
  );
  return [...(own ? [own] : []), ...new Set(others)].toSorted();
}

describe('what an alarm looks at', () => {
  it.each([
    ['server-errors', ['AWS/ApiGateway 5xx Sum', 'AWS/ApiGateway Count Sum']],
    ['latency-p99', ['AWS/ApiGateway Count Sum', 'AWS/ApiGateway Latency p99']],
    [
      'throttled-requests',
      ['AWS/ApiGateway Count Sum', 'recruitment/Observed throttled_requests Sum'],
    ],
    ['get-application-errors', ['AWS/Lambda Errors Sum']],
    ['update-job-status-throttles', ['AWS/Lambda Throttles Sum']],
    [
      'table-throttles',
      ['AWS/DynamoDB ReadThrottleEvents Sum', 'AWS/DynamoDB WriteThrottleEvents Sum'],
    ],
    ['table-system-errors', ['AWS/DynamoDB SystemErrors Sum']],
    ['dead-letters', ['AWS/SQS ApproximateNumberOfMessagesVisible Maximum']],
    [
      'event-age',
      [
        'AWS/EventBridge/Pipes EventCount Sum',
        'AWS/EventBridge/Pipes ExecutionFailed Sum',
        'AWS/EventBridge/Pipes ExecutionPartiallyFailed Sum',
        'AWS/EventBridge/Pipes ExecutionTimeout Sum',
        'recruitment status_changes Sum',
      ],
    ],
  ])('of %s is what it is named for', (name, sources) => {
    expect(sourcesOf(alarm(name))).toEqual(sources);
  });

  it('of the table are the operations that the functions use', () => {
    const metrics = JSON.stringify(alarm('table-system-errors').Metrics);
    expect(Object.keys(operations)).toHaveLength(2);
    for (const operation of ['GetItem', 'UpdateItem']) expect(metrics).toContain(operation);
  });

  it('of late events are the changes to every status', () => {
    const metrics = JSON.stringify(alarm('event-age').Metrics);
    for (const status of jobStatuses) expect(metrics).toContain(`"Value":"${status}"`);
  });
});

describe('a share of the requests', () => {
  it.each([
    ['server-errors', 'errors'],
    ['throttled-requests', 'throttled'],
  ])('is in percent, of ten requests on: %s', (name, counted) => {
    const share = (requests: number, count?: number) =>
      evaluated(alarm(name), { requests, ...(count !== undefined && { [counted]: count }) });
    expect(share(200, 5)).toBe(2.5);
    expect(share(10, 10)).toBe(100);
    expect(share(9, 9)).toBe(0);
    expect(share(200)).toBe(0);
  });

  it('is nothing without requests', () => {
    expect(evaluated(alarm('server-errors'), {})).toBe(0);
  });
});

describe('the latency', () => {
  it('counts of ten requests on: of fewer, the slowest is the percentile', () => {
    expect(evaluated(alarm('latency-p99'), { requests: 10, latency: 1500 })).toBe(1500);
    expect(evaluated(alarm('latency-p99'), { requests: 9, latency: 1500 })).toBe(0);
  });
});

describe('the sums of the table', () => {
  it('take a metric for 0 that DynamoDB has not sent', () => {
    expect(evaluated(alarm('table-throttles'), { writes: 3 })).toBe(3);
    expect(evaluated(alarm('table-throttles'), { reads: 2, writes: 3 })).toBe(5);
    expect(evaluated(alarm('table-system-errors'), { get: 4 })).toBe(4);
    expect(evaluated(alarm('table-system-errors'), { update: 1 })).toBe(1);
  });
});

describe('events that are late', () => {
  const isLate = (values: Record<string, number>) => evaluated(alarm('event-age'), values);

  it.each(['failed', 'partial', 'late'])('are seen where executions of the pipe are %s', (kind) => {
    expect(isLate({ [kind]: 1, events: 3 })).toBe(1);
  });

  it.each([...jobStatuses.keys()])(
    'are seen where jobs change and the pipe takes nothing: %d',
    (index) => {
      expect(isLate({ [`change${index}`]: 1 })).toBe(1);
      expect(isLate({ [`change${index}`]: 1, events: 0 })).toBe(1);
    },
  );

  it('are none where the pipe takes what changes, or nothing does', () => {
    expect(isLate({ change0: 2, events: 1 })).toBe(0);
    expect(isLate({ events: 4 })).toBe(0);
    expect(isLate({})).toBe(0);
  });
});
