import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { OperationFunction } from '../function.ts';
import type { AlarmThresholds } from '../stages/stage.ts';
import { type AlarmSpec, shareWithGap } from './alarms.ts';
import { slowBurnAlarm } from './error-budget.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';

/** The minimum number of requests in a period for a meaningful percentile. */
const MIN_REQUESTS = 100;
/** The minimum number of throttled requests in an hour for an alarm. */
const MIN_THROTTLED = 3;
const RENEWAL_DAYS = 30;

/** At least two minutes with failures in a day. With such a long window, a lasting fault causes few notifications. */
const TWICE_A_DAY = { datapointsToAlarm: 2, evaluationPeriods: 1440 };
/** At least three minutes with failures in a day. */
const THREE_TIMES_A_DAY = { datapointsToAlarm: 3, evaluationPeriods: 1440 };
/**
 * Every minute of a window of 125 minutes. If status changes are at most two hours apart, the window contains at least
 * one status change.
 */
const OVER_TWO_HOURS = { datapointsToAlarm: 125, evaluationPeriods: 125 };
const ONCE = { datapointsToAlarm: 1, evaluationPeriods: 1 };

/**
 * Returns the alarms on all function versions. They send notifications and roll nothing back.
 *
 * In a metric expression with two series, CloudWatch counts a missing value as 0 if the other series has a value. It
 * drops a datapoint that divides by 0 (Amazon CloudWatch User Guide, "Using math expressions with CloudWatch
 * metrics"). The guide does not describe FILL for a series without any value, so no alarm depends on that case.
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
        // The expression has no value while between 0.5 % and 1 % of the requests are slow, so that the alarm does
        // not flap.
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
        `In the last six hours, more than 1 % of the requests took longer than ${thresholds.latencyP99Ms} ms. ` +
        'Clients wait, but this alarm does not mean that requests fail. Look first at the durations and cold ' +
        'starts on the dashboard. Then run the saved query slowest-requests.',
      runbook: 'alarms.md#slow',
    },
    {
      // The service cannot distinguish invalid tokens of strangers from good tokens that a wrong setting rejects. The
      // alarm therefore ignores periods in which any token is accepted.
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
        'For 30 minutes, the service has rejected access tokens and has accepted no token. There are two possible ' +
        'causes. If a setting is wrong, no client can use the service. If strangers send invalid tokens, the ' +
        'service works as intended. Look first at the last deployment. Check whether this deployment changed ' +
        'issuer, audience, scopePrefix or tenantClaim. Then run the saved query rejections-by-client.',
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
        `In the last hour, API Gateway rejected more than ${thresholds.throttledPercent} % of the requests with ` +
        '429. Either one client sends too many requests, or the limit of the stage or of the account is too low. ' +
        "Look first at the lines with the status 429 in the API's access log.",
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
            `In at least two minutes of the last day, requests to ${operation} failed because of an unexpected ` +
            "error, usually a bug. These requests got 500. Look first at the error in the function's log lines " +
            'with the outcome "internal". Then compare the time of the first error with the time of the last ' +
            'deployment.',
          runbook: 'alarms.md#bad-version',
        },
        {
          name: `${operation}-errors`,
          metric: errors,
          threshold: 0,
          ...TWICE_A_DAY,
          description:
            `In at least two minutes of the last day, ${operation} crashed or timed out during requests. API ` +
            "Gateway responded to these requests with 5xx. Look first at the end of the function's log. Then " +
            'compare the time of the first error with the time of the last deployment.',
          runbook: 'alarms.md#bad-version',
        },
        {
          name: `${operation}-stored-data-invalid`,
          metric: everyHour.ofFunction(each).failures('stored_data_invalid'),
          threshold: 0,
          datapointsToAlarm: 1,
          evaluationPeriods: 24,
          description:
            `In the last day, ${operation} read a stored item that does not fit the API's contract. Each request ` +
            "for this item gets 500. Look first at failure.detail in the function's log lines with the outcome " +
            '"stored_data_invalid". This text names the invalid member of the item.',
          runbook: 'alarms.md#stored-data-invalid',
        },
      ];
    }),
    {
      // SQS sends metrics only for some hours after a queue's last use, but a message stays in the queue for days. The
      // alarm therefore keeps its state without data.
      name: 'dead-letters',
      metric: everyFive.deadLetters,
      threshold: 0,
      ...ONCE,
      keepsState: true,
      description:
        'The pipe could not publish the event for a status change. Subscribers miss this event. The pipe has put a ' +
        'message into the dead-letter queue. Look first at this message. The message gives the reason, and says ' +
        'where in the stream of the table the change is.',
      runbook: 'events-missing.md',
    },
    {
      // EventBridge Pipes has no metric for the age of the oldest record. FILL repeats the last value for a period
      // without status changes and events, so that a single missed status change is enough for an alarm. AWS may lose a
      // datapoint, and does not document whether FILL also fills the periods before the first datapoint. Neither case
      // matters if another status change happens within two hours.
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
        'Jobs have changed their status, but for two hours the pipe has read no status change. Subscribers get no ' +
        'events. Look first at the state of the pipe and at the reason for this state.',
      runbook: 'events-missing.md',
    },
    {
      name: 'events-failing',
      metric: everyMinute.pipeFailures,
      threshold: 0,
      ...THREE_TIMES_A_DAY,
      description:
        'In at least three minutes of the last day, executions of the pipe failed. The pipe retries the same status ' +
        "changes, so subscribers get events late. Look first at the pipe's log.",
      runbook: 'events-missing.md',
    },
    ...(certificateArn === undefined ? [] : [certificateEnds(certificateArn)]),
  ];
}

/**
 * Returns the alarm on the certificate's expiry. AWS sends the metric once a day
 * (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html).
 */
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
    `The certificate of the API's domain name expires in less than ${RENEWAL_DAYS} days. When the certificate has ` +
    'expired, no client can connect. Look first at the renewal status of the certificate. If somebody imported the ' +
    'certificate, AWS does not renew it.',
  runbook: 'keys-and-certificates.md#certificate',
});

/**
 * Returns the alarms that roll back a deployment. They count only requests to the new function version of one
 * operation, so failures of the old function version do not stop the deployment that fixes them. The ten evaluation
 * periods of a minute are as long as the canary, so an alarm stays in ALARM until the canary ends.
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
    suffix: string,
    spec: Pick<AlarmSpec, 'metric' | 'threshold' | 'datapointsToAlarm'>,
    happened: string,
  ): AlarmSpec => ({
    ...spec,
    name: `${operation}-${suffix}`,
    version: live.version.version,
    evaluationPeriods: 10,
    description:
      `The new function version of ${operation} ${happened}. If the deployment is still in progress, CodeDeploy ` +
      "rolls it back. Look first at the end of the function's log.",
    runbook: 'alarms.md#bad-version',
  });
  return [
    alarm('errors', { metric: errors, threshold: 0, datapointsToAlarm: 1 }, 'crashes or times out'),
    alarm(
      'internal',
      { metric: failures('internal'), threshold: 0, datapointsToAlarm: 1 },
      'fails because of an unexpected error, usually a bug',
    ),
    alarm(
      'unavailable',
      { metric: failures('unavailable'), threshold: 0, datapointsToAlarm: 3 },
      'cannot reach the database or the token issuer',
    ),
    alarm(
      'duration',
      { metric: duration, threshold: latencyP99Ms, datapointsToAlarm: 3 },
      `takes more than ${latencyP99Ms} ms on average`,
    ),
  ];
}
