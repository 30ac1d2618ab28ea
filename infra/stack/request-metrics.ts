import { Stack } from 'aws-cdk-lib';
import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogRecord } from '../../functions/contract/log-record.ts';
import { problemDefinitions } from '../../functions/contract/problem.ts';

interface RequestMetric {
  /** The filter for the log lines that the metric counts. */
  readonly pattern: JsonPattern;
  /** The members of the log line that are the metric's dimensions. CloudWatch Logs allows at most three. */
  readonly dimensions?: readonly (keyof LogRecord)[];
  /**
   * Whether a minute with log lines but without a match counts as 0. CloudWatch Logs allows this only for a metric
   * without dimensions.
   */
  readonly hasZeros?: true;
}

/** Returns the selector (`$.NAME`) of a log line's member for a metric filter pattern. */
const member = (name: keyof LogRecord) => `$.${name}`;

const hasOutcome = (...codes: string[]) =>
  FilterPattern.any(
    ...codes.map((code) => FilterPattern.stringValue(member('outcome'), '=', code)),
  );

/** The problem codes with a 5xx status: failures of the service, not of the client. */
export const failureCodes = Object.entries(problemDefinitions)
  .filter(([, { status }]) => status >= 500)
  .map(([code]) => code);

/**
 * The metrics that CloudWatch Logs counts in the functions' logs, which have one line for each request. The dashboard
 * or an alarm reads each metric. CloudWatch bills each combination of dimension values for the hours in which the
 * combination has data. Everyone with access to dashboards sees the dimensions. A dimension therefore has few values,
 * and is never a tenant, a subject or an id. To find the rejections of one client, query the logs instead.
 */
export const requestMetrics = {
  /** Requests that got 5xx, by problem code. */
  failures: { pattern: hasOutcome(...failureCodes), dimensions: ['operation', 'outcome'] },
  /**
   * Failures that the code or the configuration may have caused, by function version. Alarms on them roll back a
   * deployment.
   */
  failures_by_version: {
    pattern: hasOutcome('internal', 'unavailable'),
    dimensions: ['operation', 'outcome', 'function_version'],
  },
  /** Requests with a rejected token. Requests without a token do not count. */
  rejected_tokens: { pattern: hasOutcome('invalid_token', 'insufficient_scope', 'no_tenant') },
  /** Requests with an accepted token, whatever their outcome. */
  accepted_tokens: {
    pattern: FilterPattern.all(
      FilterPattern.exists(member('tenant')),
      FilterPattern.stringValue(member('outcome'), '!=', 'insufficient_scope'),
    ),
    hasZeros: true,
  },
  /** Requests that were the first request of their execution environment. */
  cold_starts: {
    pattern: FilterPattern.booleanValue(member('cold_start'), true),
    dimensions: ['operation'],
  },
  /** Requests that changed a job's status. */
  status_changes: { pattern: FilterPattern.exists(member('status_changed_to')) },
} as const satisfies Record<string, RequestMetric>;

/** Returns the CloudWatch namespace of a stack's custom metrics. */
export const metricsNamespace = (scope: Construct) => `recruitment/${Stack.of(scope).stackName}`;

/** Adds the metric filters to a function's log group. */
export function addRequestMetrics(logGroup: LogGroup): void {
  const metrics: Record<string, RequestMetric> = requestMetrics;
  for (const [name, { pattern, dimensions, hasZeros }] of Object.entries(metrics)) {
    new MetricFilter(logGroup, name, {
      logGroup,
      filterPattern: pattern,
      metricNamespace: metricsNamespace(logGroup),
      metricName: name,
      ...(dimensions && {
        dimensions: Object.fromEntries(dimensions.map((each) => [each, member(each)])),
      }),
      ...(hasZeros && { defaultValue: 0 }),
      unit: Unit.COUNT,
    });
  }
}
