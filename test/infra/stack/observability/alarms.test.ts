import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stageNames, stages } from '../../../../infra/settings/stages.ts';
import {
  type AlarmProperties,
  alarmsOf,
  evaluated,
  metricNamesOf,
} from '../../../support/alarms.ts';
import { ownDomain } from '../../../support/deployments.ts';
import { idOf, templateOf } from '../../../support/stack.ts';

const template = templateOf({ stage: 'prod', ...ownDomain });
const alarms = alarmsOf(template);
const { leastRequests } = stages.prod.alarms;

function alarm(name: string): AlarmProperties {
  const found = alarms.get(name);
  if (found === undefined) throw new Error(`There is no alarm ${name}.`);
  return found;
}

describe.each([...alarms])('the alarm %s', (_, properties) => {
  it('tells the topic when it goes off and when it is over', () => {
    const topic = { Ref: idOf(template, 'AWS::SNS::Topic') };
    expect(properties.AlarmActions).toEqual([topic]);
    expect(properties.OKActions).toEqual([topic]);
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
    expect(properties.ComparisonOperator).toBe('GreaterThanThreshold');
    expect(properties.TreatMissingData).toBe('notBreaching');
    // CloudWatch's limit for an alarm on metric math.
    expect(metricNamesOf(properties).length).toBeLessThanOrEqual(10);
  });
});

describe('the alarms', () => {
  it.each(stageNames)('are the same in %s as in production', (stage) => {
    const names = [...alarmsOf(templateOf({ stage })).keys()];
    expect(names).toEqual([...alarmsOf(templateOf({ stage: 'prod' })).keys()]);
  });

  it('include one on the certificate if the API has its own domain name', () => {
    expect(alarmsOf(templateOf({ stage: 'prod' })).has('certificate-ends')).toBe(false);
    const { Metrics = [] } = alarm('certificate-ends');
    expect(JSON.stringify(Metrics)).toContain(ownDomain.certificateArn);
    expect(evaluated(alarm('certificate-ends'), { days: 30 })).toBe(0);
    expect(evaluated(alarm('certificate-ends'), { days: 29 })).toBe(1);
  });
});

describe('a share of the requests', () => {
  it.each([
    ['server-errors', 'errors'],
    ['throttled-requests', 'throttled'],
  ])('is in percent, and counts only if there are enough requests: %s', (name, counted) => {
    const share = (requests: number, count?: number) =>
      evaluated(alarm(name), { requests, ...(count !== undefined && { [counted]: count }) });
    expect(share(200, 5)).toBe(2.5);
    expect(share(leastRequests, leastRequests)).toBe(100);
    expect(share(leastRequests - 1, leastRequests - 1)).toBe(0);
    expect(share(200)).toBe(0);
    expect(evaluated(alarm(name), {})).toBe(0);
  });
});

describe('an outage', () => {
  const failures = (values: Record<string, number>) => evaluated(alarm('outage'), values);
  const { Threshold: threshold } = alarm('outage');

  it('is noticed by two requests in 15 minutes, if none succeeds', () => {
    expect(failures({ requests: 2, errors: 2 })).toBeGreaterThan(threshold);
    expect(failures({ requests: 5, rejected: 3, errors: 2 })).toBeGreaterThan(threshold);
    expect(failures({ requests: 1, errors: 1 })).toBeLessThanOrEqual(threshold);
    const period = alarm('outage').Metrics?.map(({ MetricStat: it }) => it?.Period);
    expect(new Set(period)).toEqual(new Set([900, undefined]));
    expect(alarm('outage')).toMatchObject({ EvaluationPeriods: 1, DatapointsToAlarm: 1 });
  });

  it('is not noticed if a request succeeds, if clients alone are at fault, or without requests', () => {
    expect(failures({ requests: 9, errors: 8 })).toBe(0);
    expect(failures({ requests: 9, rejected: 2, errors: 6 })).toBe(0);
    expect(failures({ requests: 9, rejected: 9 })).toBe(0);
    expect(failures({ requests: 9, rejected: 9, errors: 0 })).toBe(0);
    expect(failures({}) ?? 0).toBe(0);
  });
});

describe('the latency', () => {
  it('counts only if there are enough requests: of fewer, the slowest is the percentile', () => {
    const latency = (requests: number) =>
      evaluated(alarm('latency-p99'), { requests, latency: 1500 });
    expect(latency(leastRequests)).toBe(1500);
    expect(latency(leastRequests - 1)).toBe(0);
  });
});

describe('the throttling of the table', () => {
  it('counts a metric as 0 that DynamoDB did not send', () => {
    expect(evaluated(alarm('table-throttles'), { writes: 3 })).toBe(3);
    expect(evaluated(alarm('table-throttles'), { reads: 2, writes: 3 })).toBe(5);
  });
});

describe('events', () => {
  const isLate = (values: Record<string, number>) => evaluated(alarm('event-age'), values);

  it.each(['failed', 'partial', 'late'])('are late if executions of the pipe are %s', (kind) => {
    expect(isLate({ [kind]: 1, events: 3 })).toBe(1);
  });

  it('are late if jobs change and the pipe reads nothing', () => {
    expect(isLate({ changes: 1 })).toBe(1);
    expect(isLate({ changes: 1, events: 0 })).toBe(1);
    const changes = alarm('event-age').Metrics?.find(({ Id }) => Id === 'changes');
    expect(changes?.MetricStat?.Metric).toMatchObject({
      MetricName: 'status_changes',
      Dimensions: [{ Name: 'operation', Value: 'updateJobStatus' }],
    });
  });

  it('are not late if the pipe reads what changes, or nothing changes', () => {
    expect(isLate({ changes: 2, events: 1 })).toBe(0);
    expect(isLate({ events: 4 })).toBe(0);
    expect(isLate({})).toBe(0);
  });
});
