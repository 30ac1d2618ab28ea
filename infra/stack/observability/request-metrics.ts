import { Stack } from 'aws-cdk-lib';
import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogRecord } from '../../../functions/contract/log-record.ts';
import { problemDefinitions } from '../../../functions/contract/problem.ts';
import type { AlarmThresholds } from '../stages/stage.ts';

interface RequestMetric {
  readonly pattern: JsonPattern | ((thresholds: AlarmThresholds) => JsonPattern);
  /** At most three (CloudWatch Logs). */
  readonly dimensions?: readonly (keyof LogRecord)[];
  /** Minutes with log lines but no match count as 0. CloudWatch Logs allows this only without dimensions. */
  readonly hasZeros?: true;
}

const member = (name: keyof LogRecord) => `$.${name}`;

const hasOutcome = (...codes: string[]) =>
  FilterPattern.any(
    ...codes.map((code) => FilterPattern.stringValue(member('outcome'), '=', code)),
  );

export const failureCodes = Object.entries(problemDefinitions)
  .filter(([, { status }]) => status >= 500)
  .map(([code]) => code);

/** Matches even if the request fails later. */
const hasAcceptedToken = FilterPattern.all(
  FilterPattern.exists(member('tenant')),
  FilterPattern.stringValue(member('outcome'), '!=', 'insufficient_scope'),
);

/**
 * Dimensions must have few values, and never a tenant, a subject or an id: CloudWatch bills each combination, and
 * everybody with access to dashboards sees them. To count by those, query the logs, which have a line for each request.
 */
export const requestMetrics = {
  failures: { pattern: hasOutcome(...failureCodes), dimensions: ['operation', 'outcome'] },
  /** Outcomes that a new version's code or configuration may cause: alarms on them roll back a deployment. */
  failures_by_version: {
    pattern: hasOutcome('internal', 'unavailable'),
    dimensions: ['operation', 'outcome', 'function_version'],
  },
  bugs: { pattern: hasOutcome('internal', 'stored_data_invalid') },
  /** Ignores missing and expired tokens, which are the client's own fault, and the probe's tokens (PROBED_JOB). */
  rejected_tokens: {
    pattern: FilterPattern.any(
      hasOutcome('no_tenant'),
      FilterPattern.all(
        hasOutcome('insufficient_scope'),
        FilterPattern.stringValue(member('job_id'), '!=', 'probe'),
      ),
      FilterPattern.all(
        hasOutcome('invalid_token'),
        FilterPattern.stringValue(member('token_fault'), '!=', 'expired'),
      ),
    ),
  },
  accepted_tokens: { pattern: hasAcceptedToken, hasZeros: true },
  /** `duration_ms` includes neither the function's start nor API Gateway. */
  slow_responses: {
    pattern: ({ slowMs }) =>
      FilterPattern.all(
        hasAcceptedToken,
        FilterPattern.numberValue(member('status'), '<', 500),
        FilterPattern.numberValue(member('duration_ms'), '>', slowMs),
      ),
  },
  cold_starts: {
    pattern: FilterPattern.booleanValue(member('cold_start'), true),
    dimensions: ['operation'],
  },
  status_changes: { pattern: FilterPattern.exists(member('status_changed_to')) },
} as const satisfies Record<string, RequestMetric>;

export const metricsNamespace = (scope: Construct) => `recruitment/${Stack.of(scope).stackName}`;

export function addRequestMetrics(logGroup: LogGroup, thresholds: AlarmThresholds): void {
  const metrics: Record<string, RequestMetric> = requestMetrics;
  for (const [name, { pattern, dimensions, hasZeros }] of Object.entries(metrics)) {
    new MetricFilter(logGroup, name, {
      logGroup,
      filterPattern: typeof pattern === 'function' ? pattern(thresholds) : pattern,
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
