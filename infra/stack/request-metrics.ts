import { Stack } from 'aws-cdk-lib';
import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type JsonPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

interface RequestMetric {
  /** The log lines that count. */
  readonly pattern: JsonPattern;
  /** The members of the line that are its dimensions. */
  readonly dimensions: readonly string[];
}

/**
 * The metrics that filters of the functions' logs count: one line for each request. The dashboard or an
 * alarm reads each. CloudWatch bills each combination of the dimensions' values, and everyone with access
 * to dashboards sees them, so they have few values and are never a tenant, a subject or an id.
 */
export const requestMetrics = {
  /** Requests by their outcome: `ok` or a problem's code. */
  requests: {
    // Not by its outcome, which the line of a priming that failed has too.
    pattern: FilterPattern.exists('$.request_id'),
    dimensions: ['operation', 'outcome'],
  },
  /** First requests of an execution environment. */
  cold_starts: {
    pattern: FilterPattern.numberValue('$.cold_starts', '=', 1),
    dimensions: ['operation'],
  },
  /** Changes of a job's status to another. */
  status_changes: {
    pattern: FilterPattern.exists('$.status_changed_to'),
    dimensions: ['status_changed_to'],
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
      dimensions: Object.fromEntries(dimensions.map((member) => [member, `$.${member}`])),
      unit: Unit.COUNT,
    });
  }
}
