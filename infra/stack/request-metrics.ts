import { Stack } from 'aws-cdk-lib';
import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogRecord } from '../../functions/contract/log-record.ts';
import { problemTypes } from '../../functions/contract/problem.ts';

interface RequestMetric {
  /** The log lines that count. */
  readonly pattern: JsonPattern;
  /** The members of the line that are its dimensions; CloudWatch Logs takes three. */
  readonly dimensions?: readonly (keyof LogRecord)[];
  /** Whether a minute with lines of which none counts is 0. Without this, or with dimensions, it has no value. */
  readonly hasZeros?: true;
}

/** A member of the log line, as a filter names it. */
const member = (name: keyof LogRecord) => `$.${name}`;

const hasOutcome = (...codes: string[]) =>
  FilterPattern.any(
    ...codes.map((code) => FilterPattern.stringValue(member('outcome'), '=', code)),
  );

/** The codes of the problems that are failures of the service, and not of a client. */
export const failureCodes = Object.entries(problemTypes)
  .filter(([, { status }]) => status >= 500)
  .map(([code]) => code);

/**
 * The metrics that filters of the functions' logs count: one line for each request. The dashboard or an
 * alarm reads each. CloudWatch bills each combination of the dimensions' values for the hours in which it
 * has data, and everyone with access to dashboards sees them, so they have few values and are never a
 * tenant, a subject or an id. The rejections of one client are not among them: a query of the log shows it.
 */
export const requestMetrics = {
  /** Requests whose response was 5xx, by the problem's code. */
  failures: { pattern: hasOutcome(...failureCodes), dimensions: ['operation', 'outcome'] },
  /** Those of each version that can be a fault of its code or configuration: they roll a deployment back. */
  failures_by_version: {
    pattern: hasOutcome('internal', 'unavailable'),
    dimensions: ['operation', 'outcome', 'function_version'],
  },
  /** Requests whose token was rejected. A request without a token is not among them. */
  rejected_tokens: { pattern: hasOutcome('invalid_token', 'insufficient_scope', 'no_tenant') },
  /** Requests whose token was accepted, whatever came of them. */
  accepted_tokens: {
    pattern: FilterPattern.all(
      FilterPattern.exists(member('tenant')),
      FilterPattern.stringValue(member('outcome'), '!=', 'insufficient_scope'),
    ),
    hasZeros: true,
  },
  /** First requests of an execution environment. */
  cold_starts: {
    pattern: FilterPattern.booleanValue(member('cold_start'), true),
    dimensions: ['operation'],
  },
  /** Changes of a job's status to another. */
  status_changes: { pattern: FilterPattern.exists(member('status_changed_to')) },
} as const satisfies Record<string, RequestMetric>;

/** The namespace of a stack's own metrics in CloudWatch. */
export const metricsNamespace = (scope: Construct) => `recruitment/${Stack.of(scope).stackName}`;

/** Makes the metrics of a function's log. */
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
