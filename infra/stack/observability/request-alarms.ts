import type { MetricFilter } from 'aws-cdk-lib/aws-logs';
import { operationNames } from '../../../functions/contract/operations.ts';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { RecruitmentTable } from '../table.ts';
import type { AlarmSpec } from './alarms.ts';
import type { Metrics } from './metrics.ts';
import type { Observed } from './observed.ts';

/** The alarms of what clients see: failures, slowness, refusals for want of room. */
export function apiAlarms(
  metrics: Metrics,
  { stage }: Observed['api'],
  throttledRequests: MetricFilter,
  { leastRequests, ...thresholds }: AlarmThresholds,
): AlarmSpec[] {
  const { requests, serverErrors, latency } = metrics.ofApi(stage);
  const throttled = metrics.throttledRequests(throttledRequests);
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
        `More than ${thresholds.serverErrorPercent} % of the answers are 5xx. Look first at the ` +
        'outcomes on the dashboard: "internal" is a fault of ours, since a deployment (this runbook); ' +
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
        "functions' durations and cold starts on the dashboard, and at the query slowest-requests: " +
        'since a deployment, see rollback.md.',
      runbook: 'throttling',
      rollsBack: true,
    },
    {
      name: 'throttled-requests',
      metric: metrics.expression('429, % of requests', share('throttled'), { requests, throttled }),
      threshold: thresholds.throttledPercent,
      description:
        `The stage's throttle refuses more than ${thresholds.throttledPercent} % of the requests. ` +
        'Look first at the query requests-by-client: one client, or all of them?',
      runbook: 'throttling',
    },
  ];
}

/** The alarms of each function by itself. */
export function functionAlarms(
  metrics: Metrics,
  functions: Observed['functions'],
  thresholds: AlarmThresholds,
): AlarmSpec[] {
  return operationNames.flatMap((operation): AlarmSpec[] => {
    const { errors, throttles } = metrics.ofFunction(functions[operation]);
    return [
      {
        name: `${operation}-errors`,
        metric: errors,
        threshold: thresholds.functionErrors,
        description:
          `${operation} crashed or ran into its time-out: every other failure it answers itself. ` +
          "Look first at the end of the function's log, and at when it was deployed.",
        // Takes nothing back: it counts all versions, and one that mends another must come through.
        runbook: 'rollback',
      },
      {
        name: `${operation}-throttles`,
        metric: throttles,
        threshold: thresholds.functionThrottles,
        description:
          `Lambda refused to run ${operation}: its concurrency, or that of the account, is used ` +
          "up. Look first at ConcurrentExecutions of the account, and at the function's duration.",
        runbook: 'throttling',
      },
    ];
  });
}

/** The alarms of the table. */
export function tableAlarms(
  metrics: Metrics,
  table: RecruitmentTable['table'],
  thresholds: AlarmThresholds,
): AlarmSpec[] {
  const { throttles, systemErrors } = metrics.ofTable(table);
  return [
    {
      name: 'table-throttles',
      metric: throttles,
      threshold: thresholds.tableThrottles,
      description:
        'DynamoDB throttles requests to the table. Look first at the consumed units on the ' +
        'dashboard: much in all, or little, and one job too hot for its partition?',
      runbook: 'throttling',
    },
    {
      name: 'table-system-errors',
      metric: systemErrors,
      threshold: thresholds.tableErrors,
      description:
        'DynamoDB fails requests by a fault of its own. Look first at the AWS Health Dashboard ' +
        'of the region; the service answers 503 meanwhile, and clients try again.',
      runbook: 'throttling',
    },
  ];
}
