import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { OperationFunction } from '../function.ts';
import type { AlarmSpec } from './alarms.ts';
import { type Metrics, type MonitoredResources, metricsOf } from './metrics.ts';

/** The alarms on what clients see: failures, slowness and throttling, by the stage or the table. */
export function apiAlarms(
  metrics: Metrics,
  { leastRequests, ...thresholds }: AlarmThresholds,
): AlarmSpec[] {
  const { requests, serverErrors, throttled, latency } = metrics;
  const share = (of: string) =>
    `IF(requests >= ${leastRequests}, 100 * FILL(${of}, 0) / requests, 0)`;
  return [
    {
      name: 'server-errors',
      metric: metrics.expression('5xx, % of requests', share('errors'), {
        requests,
        errors: serverErrors,
      }),
      threshold: thresholds.serverErrorPercent,
      description:
        `More than ${thresholds.serverErrorPercent} % of the responses are 5xx. Look first at the ` +
        'failures on the dashboard: "internal" is a bug, perhaps of the last deployment (this runbook); ' +
        '"unavailable" is the token issuer (issuer-outage.md) or the database (throttling.md).',
      runbook: 'rollback',
      rollsBack: true,
    },
    {
      name: 'latency-p99',
      metric: metrics.expression('p99', `IF(requests >= ${leastRequests}, latency, 0)`, {
        requests,
        latency: latency(99),
      }),
      threshold: thresholds.latencyP99Ms,
      description:
        `One request in a hundred takes more than ${thresholds.latencyP99Ms} ms. Look first at the ` +
        "functions' durations and cold starts on the dashboard, and at the query slowest-requests; " +
        'if it began with a deployment, see rollback.md.',
      runbook: 'throttling',
      rollsBack: true,
    },
    {
      name: 'throttled-requests',
      metric: metrics.expression('429, % of requests', share('throttled'), { requests, throttled }),
      threshold: thresholds.throttledPercent,
      description:
        `The stage's throttle refuses more than ${thresholds.throttledPercent} % of the requests. ` +
        'Look first at the query requests-by-client: is it one client, or all of them?',
      runbook: 'throttling',
    },
    {
      name: 'table-throttles',
      metric: metrics.tableThrottles,
      threshold: thresholds.tableThrottles,
      description:
        'DynamoDB throttles requests to the table. Look first at the consumed units on the ' +
        'dashboard: are they many, or few, and one job too hot for its partition?',
      runbook: 'throttling',
    },
  ];
}

/** The alarms over a quarter of an hour see failures that are too few for a share of each minute. */
const QUIET_MINUTES = 15;
const ONCE = { periods: 1, periodsOver: 1 };

/**
 * The alarms that also see failures at low traffic. `outage`: more than half of the requests fail. One that
 * is rejected (4xx) does not count: scanners get 404 from API Gateway whatever the functions do. And a bug
 * of each operation, which other operations that work do not hide. One such failure may be a single stored
 * item that breaks its schema.
 */
export function quietAlarms(resources: MonitoredResources): AlarmSpec[] {
  const metrics = metricsOf(resources, Duration.minutes(QUIET_MINUTES));
  const { requests, clientErrors: rejected, serverErrors: errors } = metrics;
  return [
    {
      name: 'outage',
      metric: metrics.expression(
        '5xx, if most requests fail',
        'IF(2 * FILL(errors, 0) > requests - FILL(rejected, 0), FILL(errors, 0), 0)',
        { requests, rejected, errors },
      ),
      threshold: 1,
      timing: ONCE,
      description:
        `In ${QUIET_MINUTES} minutes two or more requests were answered 5xx, and fewer succeeded. Look first ` +
        'at the failures on the dashboard: if there are none, the functions do not start (this runbook); ' +
        '"unavailable" is the token issuer (issuer-outage.md) or the database (throttling.md).',
      runbook: 'rollback',
    },
    ...resources.functions.map(
      (each): AlarmSpec => ({
        name: `${each.operation}-internal`,
        metric: metrics.ofFunction(each).failures('internal'),
        threshold: 1,
        timing: ONCE,
        description:
          `In ${QUIET_MINUTES} minutes two or more requests of ${each.operation} failed as "internal": a bug, ` +
          'perhaps of the last deployment, or a stored item that breaks its schema. Look first at the error in ' +
          'the log lines of the function with the outcome "internal".',
        runbook: 'rollback',
        rollsBack: true,
      }),
    ),
  ];
}

/** The alarms on each function by itself. */
export function functionAlarms(
  metrics: Metrics,
  functions: readonly OperationFunction[],
  thresholds: AlarmThresholds,
): AlarmSpec[] {
  return functions.flatMap((each): AlarmSpec[] => {
    const { operation } = each;
    const { errors, throttles } = metrics.ofFunction(each);
    return [
      {
        name: `${operation}-errors`,
        metric: errors,
        threshold: thresholds.functionErrors,
        description:
          `${operation} crashed or timed out; it answers every other failure itself. Look first at ` +
          "the end of the function's log, and at the time of the last deployment.",
        // Rolls nothing back: it counts all versions, and one that fixes another must be deployed.
        runbook: 'rollback',
      },
      {
        name: `${operation}-throttles`,
        metric: throttles,
        threshold: thresholds.functionThrottles,
        description:
          `Lambda refused to run ${operation}: its concurrency, or the account's, is used up. Look ` +
          "first at ConcurrentExecutions of the account, and at the function's duration.",
        runbook: 'throttling',
      },
    ];
  });
}

const RENEWAL_DAYS = 30;

/**
 * The alarm on the end of a certificate, whose metric comes once a day
 * (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html).
 */
export const certificateEnds = (certificateArn: string): AlarmSpec => ({
  name: 'certificate-ends',
  metric: new MathExpression({
    expression: `${RENEWAL_DAYS} - days`,
    label: 'days too few',
    period: Duration.days(1),
    usingMetrics: {
      days: new Metric({
        namespace: 'AWS/CertificateManager',
        metricName: 'DaysToExpiry',
        dimensionsMap: { CertificateArn: certificateArn },
        statistic: Stats.MINIMUM,
        period: Duration.days(1),
      }),
    },
  }),
  threshold: 0,
  timing: ONCE,
  description:
    `The certificate of the API ends in less than ${RENEWAL_DAYS} days, and no client can connect ` +
    'then. Look first at whether AWS renews it: it does not renew imported certificates.',
  runbook: 'certificate',
});
