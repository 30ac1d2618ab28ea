import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { OperationFunction } from '../function.ts';
import type { AlarmSpec } from './alarms.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';

/** The fewest requests in a period for which a share or a percentile means anything. */
const MIN_REQUESTS = 100;
const RENEWAL_DAYS = 30;

/** Minutes with failures, in an hour: so few that failures 14 minutes apart do not make an alarm flap. */
const TWICE_AN_HOUR = { datapointsToAlarm: 2, evaluationPeriods: 60 };
const THREE_TIMES_AN_HOUR = { datapointsToAlarm: 3, evaluationPeriods: 60 };
/** Periods of five minutes: with one change an hour, the last of them has the next change. */
const OVER_AN_HOUR = { datapointsToAlarm: 13, evaluationPeriods: 13 };
const ONCE = { datapointsToAlarm: 1, evaluationPeriods: 1 };

/**
 * The alarms on all versions, which notify, and roll nothing back. In expressions, CloudWatch counts a missing value
 * as 0 if it adds, divides or compares two series of which one has a value, and drops a division by 0 (Amazon
 * CloudWatch User Guide, "Using math expressions with CloudWatch metrics"). It does not say what FILL makes of a
 * series without any value: nothing depends on that.
 */
export function alarmTable(
  resources: MonitoredResources,
  thresholds: AlarmThresholds,
  certificateArn: string | undefined,
): AlarmSpec[] {
  const everyMinute = metricsOf(resources, Duration.minutes(1));
  const everyFive = metricsOf(resources, Duration.minutes(5));
  const everyTen = metricsOf(resources, Duration.minutes(10));
  const everyHour = metricsOf(resources, Duration.hours(1));
  const { requests, serverErrors, throttled } = everyFive;
  const { datapointsToAlarm } = thresholds;
  const timing = { datapointsToAlarm, evaluationPeriods: 3 };
  const share = (of: string) => `IF(requests >= ${MIN_REQUESTS}, 100 * ${of} / requests, 0)`;
  return [
    {
      name: 'server-errors',
      metric: everyFive.expression('5xx, % of requests', share('errors'), {
        requests,
        errors: serverErrors,
      }),
      threshold: thresholds.serverErrorPercent,
      ...timing,
      description:
        `More than ${thresholds.serverErrorPercent} % of the responses are 5xx. Look first at the failures on ` +
        'the dashboard: "internal" is a bug; "unavailable" is the token issuer or the database.',
      runbook: 'alarms.md#bad-version',
    },
    {
      // 4xx do not count: scanners get 404 from API Gateway whatever the functions do.
      name: 'outage',
      metric: everyMinute.expression('most requests fail', '2 * errors + rejected > requests', {
        requests: everyMinute.requests,
        rejected: everyMinute.clientErrors,
        errors: everyMinute.serverErrors,
      }),
      threshold: 0,
      ...THREE_TIMES_AN_HOUR,
      description:
        'In three minutes of an hour, most requests that were not rejected failed. Look first at the failures ' +
        'on the dashboard: if there are none, the functions do not start; "unavailable" is the token issuer or ' +
        'the database.',
      runbook: 'alarms.md#bad-version',
    },
    {
      name: 'latency-p99',
      metric: everyFive.expression('p99', `IF(requests >= ${MIN_REQUESTS}, latency, 0)`, {
        requests,
        latency: everyFive.latency(99),
      }),
      threshold: thresholds.latencyP99Ms,
      ...timing,
      description:
        `One request in a hundred takes more than ${thresholds.latencyP99Ms} ms. Look first at the durations and ` +
        'cold starts on the dashboard, and at the query slowest-requests.',
      runbook: 'alarms.md#slow',
    },
    {
      // Nothing can tell the invalid tokens of strangers from those that an invalid setting rejects.
      name: 'tokens-rejected',
      metric: everyTen.expression(
        'tokens rejected while none is accepted',
        'IF(accepted == 0, rejected, 0)',
        { accepted: everyTen.acceptedTokens, rejected: everyTen.rejectedTokens },
      ),
      threshold: 0,
      datapointsToAlarm: 2,
      evaluationPeriods: 3,
      keepsState: true,
      description:
        'Access tokens are rejected, and none is accepted. Look first at the last deployment: did issuer, ' +
        'audience, scopePrefix or tenantClaim change? Then at the query rejections-by-client.',
      runbook: 'alarms.md#tokens-rejected',
    },
    {
      name: 'throttled-requests',
      metric: everyFive.expression('429, % of requests', share('throttled'), {
        requests,
        throttled,
      }),
      threshold: thresholds.throttledPercent,
      ...timing,
      description:
        `The stage's throttle rejects more than ${thresholds.throttledPercent} % of the requests. Look first at ` +
        'the query requests-by-client: is it one client, or all of them?',
      runbook: 'alarms.md#throttling',
    },
    ...resources.functions.flatMap((each): AlarmSpec[] => {
      const { operation } = each;
      const { errors, throttles, failures } = everyMinute.ofFunction(each);
      return [
        {
          name: `${operation}-internal`,
          metric: failures('internal'),
          threshold: 0,
          ...TWICE_AN_HOUR,
          description:
            `In two minutes of an hour, requests of ${operation} failed by a bug. Look first at the error in the ` +
            'log lines of the function with the outcome "internal", and at the time of the last deployment.',
          runbook: 'alarms.md#bad-version',
        },
        {
          name: `${operation}-errors`,
          metric: errors,
          threshold: 0,
          ...TWICE_AN_HOUR,
          description:
            `In two minutes of an hour, ${operation} crashed or timed out. Look first at the end of the function's ` +
            'log, and at the time of the last deployment.',
          runbook: 'alarms.md#bad-version',
        },
        {
          name: `${operation}-stored-data-invalid`,
          metric: everyHour.ofFunction(each).failures('stored_data_invalid'),
          threshold: 0,
          datapointsToAlarm: 1,
          evaluationPeriods: 24,
          description:
            `${operation} read a stored item that does not fit the contract. Look first at failure.detail in the log ` +
            'lines with the outcome "stored_data_invalid": it says where the fault is.',
          runbook: 'alarms.md#stored-data-invalid',
        },
        {
          name: `${operation}-throttles`,
          metric: throttles,
          threshold: thresholds.functionThrottles,
          ...TWICE_AN_HOUR,
          description:
            `Lambda throttled ${operation}: its concurrency, or the account's, is used up. Look first at ` +
            "ConcurrentExecutions of the account, and at the function's duration.",
          runbook: 'alarms.md#throttling',
        },
      ];
    }),
    {
      // CloudWatch may ignore missing data of DynamoDB whatever an alarm says (PutMetricAlarm, TreatMissingData), and
      // there is none without throttling: a period with requests is 0, so that the alarm returns to OK.
      name: 'table-throttles',
      metric: everyFive.expression('throttled requests', 'IF(requests > 0, reads + writes, 0)', {
        requests,
        reads: everyFive.readThrottles,
        writes: everyFive.writeThrottles,
      }),
      threshold: thresholds.tableThrottles,
      ...timing,
      description:
        'DynamoDB throttles requests to the table. Look first at the consumed units on the dashboard: are they ' +
        'many, or few, and one job too hot for its partition?',
      runbook: 'alarms.md#throttling',
    },
    {
      // SQS sends metrics of a queue for some hours after its last use, but a message lies there for days.
      name: 'dead-letters',
      metric: everyFive.deadLetters,
      threshold: 0,
      ...ONCE,
      keepsState: true,
      description:
        'A status change could not become an event and is in the dead-letter queue. Look first at the message: ' +
        'it says which record it was, and what the bus responded.',
      runbook: 'events-missing.md',
    },
    {
      // EventBridge Pipes has no metric of the age of the oldest record. A period without a change and without an
      // event counts like the one before it, so that a single change is enough. AWS may lose a datapoint of a metric,
      // and does not say whether FILL also fills the periods before the first: with a change an hour, neither matters.
      name: 'events-stopped',
      metric: everyFive.expression(
        'changes do not become events',
        'FILL(changes > 10 * events, REPEAT)',
        { changes: everyFive.statusChanges, events: everyFive.pipeEvents },
      ),
      threshold: 0,
      ...OVER_AN_HOUR,
      keepsState: true,
      description:
        'Jobs have changed, and the pipe has read nothing for an hour. Look first at the state of the pipe ' +
        'and its reason.',
      runbook: 'events-missing.md',
    },
    {
      name: 'events-failing',
      metric: everyFive.pipeFailures,
      threshold: 0,
      datapointsToAlarm: 3,
      evaluationPeriods: 12,
      description:
        "Executions of the pipe fail, so that it retries the same changes. Look first at the pipe's log.",
      runbook: 'events-missing.md',
    },
    ...(certificateArn === undefined ? [] : [certificateEnds(certificateArn)]),
  ];
}

/** The metric comes once a day (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html). */
const certificateEnds = (certificateArn: string): AlarmSpec => ({
  name: 'certificate-ends',
  metric: new Metric({
    namespace: 'AWS/CertificateManager',
    metricName: 'DaysToExpiry',
    dimensionsMap: { CertificateArn: certificateArn },
    statistic: Stats.MINIMUM,
    period: Duration.days(1),
  }),
  threshold: RENEWAL_DAYS,
  isMinimum: true,
  ...ONCE,
  keepsState: true,
  description:
    `The certificate of the API ends in less than ${RENEWAL_DAYS} days, and no client can connect then. Look ` +
    'first at whether AWS renews it: it does not renew imported certificates.',
  runbook: 'keys-and-certificates.md#certificate',
});

/**
 * The alarms that roll a deployment back. They count the new version of one function alone, so that the failures
 * of the old one do not stop the deployment that fixes them, and stay in ALARM for as long as the canary lasts.
 */
export function versionAlarmTable(
  resources: MonitoredResources,
  each: OperationFunction,
  { latencyP99Ms }: AlarmThresholds,
): AlarmSpec[] {
  const { operation, live } = each;
  const { errors, duration, failures } = metricsOf(resources, Duration.minutes(1)).ofNewVersion(
    each,
  );
  const alarm = (
    what: string,
    spec: Pick<AlarmSpec, 'metric' | 'threshold' | 'datapointsToAlarm'>,
    happened: string,
  ): AlarmSpec => ({
    ...spec,
    name: `${operation}-${what}-of-version-${live.version.version}`,
    evaluationPeriods: 10,
    description:
      `The new version of ${operation} ${happened}: a deployment in progress is rolled back. Look first at the ` +
      "end of the function's log.",
    runbook: 'alarms.md#bad-version',
  });
  return [
    alarm('errors', { metric: errors, threshold: 0, datapointsToAlarm: 1 }, 'crashes or times out'),
    alarm(
      'internal',
      { metric: failures('internal'), threshold: 0, datapointsToAlarm: 1 },
      'fails by a bug',
    ),
    alarm(
      'unavailable',
      { metric: failures('unavailable'), threshold: 0, datapointsToAlarm: 3 },
      'does not reach the database or the token issuer',
    ),
    alarm(
      'duration',
      { metric: duration, threshold: latencyP99Ms, datapointsToAlarm: 3 },
      `takes more than ${latencyP99Ms} ms on average`,
    ),
  ];
}
