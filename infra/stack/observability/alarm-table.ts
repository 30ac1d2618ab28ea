import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { OperationFunction } from '../function.ts';
import { type AlarmSpec, shareWithGap } from './alarms.ts';
import { slowBurnAlarm } from './error-budget.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';

/** The fewest requests in a period for which a percentile means anything. */
const MIN_REQUESTS = 100;
/** The fewest throttled requests that count in an hour. */
const MIN_THROTTLED = 3;
const RENEWAL_DAYS = 30;

/** Minutes with failures, in a day: the longer the window, the fewer the notifications for a fault that lasts. */
const TWICE_A_DAY = { datapointsToAlarm: 2, evaluationPeriods: 1440 };
const THREE_TIMES_A_DAY = { datapointsToAlarm: 3, evaluationPeriods: 1440 };
/** Minutes: with changes up to two hours apart, the last of them have the next change. */
const OVER_TWO_HOURS = { datapointsToAlarm: 125, evaluationPeriods: 125 };
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
  const everySixHours = metricsOf(resources, Duration.hours(6));
  return [
    slowBurnAlarm(resources, thresholds.objectivePercent),
    {
      name: 'latency-p99',
      metric: everySixHours.expression(
        'p99',
        // While between 0.5 % and 1 % of the requests are slow, it has no value, so that the alarm does not flap.
        `latency / (requests >= ${MIN_REQUESTS} AND ` +
          `(latency > ${thresholds.latencyP99Ms} OR higher <= ${thresholds.latencyP99Ms}))`,
        {
          requests: everySixHours.requests,
          latency: everySixHours.latency(99),
          higher: everySixHours.latency(99.5),
        },
      ),
      threshold: thresholds.latencyP99Ms,
      ...ONCE,
      keepsState: true,
      description:
        `In six hours, one request in a hundred took more than ${thresholds.latencyP99Ms} ms. Look first at the durations and ` +
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
      datapointsToAlarm: 3,
      evaluationPeriods: 3,
      keepsState: true,
      description:
        'Access tokens are rejected, and none is accepted. Look first at the last deployment: did issuer, ' +
        'audience, scopePrefix or tenantClaim change? Then at the query rejections-by-client.',
      runbook: 'alarms.md#tokens-rejected',
    },
    {
      name: 'throttled-requests',
      metric: everyHour.expression(
        '429, % of requests',
        shareWithGap('throttled', 'requests', MIN_THROTTLED, thresholds.throttledPercent),
        { requests: everyHour.requests, throttled: everyHour.throttled },
      ),
      threshold: thresholds.throttledPercent,
      ...ONCE,
      keepsState: true,
      description:
        `In an hour, the stage's throttle rejected more than ${thresholds.throttledPercent} % of the requests. Look first at ` +
        'the query requests-by-client: is it one client, or all of them?',
      runbook: 'alarms.md#throttling',
    },
    ...resources.functions.flatMap((each): AlarmSpec[] => {
      const { operation } = each;
      const { errors, failures } = everyMinute.ofFunction(each);
      return [
        {
          name: `${operation}-internal`,
          metric: failures('internal'),
          threshold: 0,
          ...TWICE_A_DAY,
          description:
            `In two minutes of a day, requests of ${operation} failed by a bug. Look first at the error in the ` +
            'log lines of the function with the outcome "internal", and at the time of the last deployment.',
          runbook: 'alarms.md#bad-version',
        },
        {
          name: `${operation}-errors`,
          metric: errors,
          threshold: 0,
          ...TWICE_A_DAY,
          description:
            `In two minutes of a day, ${operation} crashed or timed out. Look first at the end of the function's ` +
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
      ];
    }),
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
      // and does not say whether FILL also fills the periods before the first: with a change in two hours, neither
      // matters.
      name: 'events-stopped',
      metric: everyMinute.expression(
        'changes do not become events',
        'FILL(changes > 10 * events, REPEAT)',
        { changes: everyMinute.statusChanges, events: everyMinute.pipeEvents },
      ),
      threshold: 0,
      ...OVER_TWO_HOURS,
      keepsState: true,
      description:
        'Jobs have changed, and the pipe has read nothing for two hours. Look first at the state of the pipe ' +
        'and its reason.',
      runbook: 'events-missing.md',
    },
    {
      name: 'events-failing',
      metric: everyMinute.pipeFailures,
      threshold: 0,
      ...THREE_TIMES_A_DAY,
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
