import { Stack } from 'aws-cdk-lib';
import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogRecord } from '../../functions/contract/log-record.ts';
import { problemTypes } from '../../functions/contract/problem.ts';

interface RequestMetric {
  /** The log lines that count. */
  readonly pattern: JsonPattern;
  /** The members of the line that are its dimensions. */
  readonly dimensions: readonly (keyof LogRecord)[];
}

/** A member of the log line, as a filter names it. */
const member = (name: keyof LogRecord) => `$.${name}`;

/** The codes of the problems that are failures of the service, and not of a client. */
export const failureCodes = Object.entries(problemTypes)
  .filter(([, { status }]) => status >= 500)
  .map(([code]) => code);

/**
 * The metrics that filters of the functions' logs count: one line for each request. The dashboard or an
 * alarm reads each. CloudWatch bills each combination of the dimensions' values, and everyone with access
 * to dashboards sees them, so they have few values and are never a tenant, a subject or an id. What
 * clients are refused is not among them: a query of the log shows it, by client.
 */
export const requestMetrics = {
  /** Requests that were answered 5xx, by the problem's code. */
  failures: {
    pattern: FilterPattern.any(
      ...failureCodes.map((code) => FilterPattern.stringValue(member('outcome'), '=', code)),
    ),
    dimensions: ['operation', 'outcome'],
  },
  /** First requests of an execution environment. */
  cold_starts: {
    pattern: FilterPattern.booleanValue(member('cold_start'), true),
    dimensions: ['operation'],
  },
  /** Changes of a job's status to another. */
  status_changes: {
    pattern: FilterPattern.exists(member('status_changed_to')),
    dimensions: ['operation'],
  },
} as const satisfies Record<string, RequestMetric>;

/** The namespace of a stack's own metrics in CloudWatch. */
export const metricsNamespace = (scope: Construct) => `recruitment/${Stack.of(scope).stackName}`;

/** Makes the metrics of a function's log. */
export function addRequestMetrics(logGroup: LogGroup): void {
  for (const [name, { pattern, dimensions }] of Object.entries(requestMetrics)) {
    new MetricFilter(logGroup, name, {
      logGroup,
      filterPattern: pattern,
      metricNamespace: metricsNamespace(logGroup),
      metricName: name,
      dimensions: Object.fromEntries(dimensions.map((name) => [name, member(name)])),
      unit: Unit.COUNT,
    });
  }
}
