/** The namespace of the service's own metrics in CloudWatch. */
export const METRICS_NAMESPACE = 'recruitment';

/** One of the service's own metrics: its unit, and the members of the log line that tell it apart. */
interface RequestMetric {
  readonly unit: 'Count' | 'Milliseconds';
  readonly dimensions: readonly string[];
}

/**
 * What CloudWatch counts of the log lines. Each set of values of the dimensions is a metric that
 * CloudWatch bills and anybody may see who sees dashboards, so they are of few values, and never a
 * tenant, a subject or an id. The name of a function tells deployments and operations apart.
 */
export const requestMetrics = {
  /** Requests that were answered, by their outcome: `ok` or a problem's code. */
  requests: { unit: 'Count', dimensions: ['function_name', 'outcome'] },
  /** From the first middleware to the log line: what a cold start does before is not in it. */
  duration_ms: { unit: 'Milliseconds', dimensions: ['function_name'] },
  /** First requests of an instance of a function. */
  cold_starts: { unit: 'Count', dimensions: ['function_name'] },
  /** Statuses of jobs that became another. */
  status_changes: { unit: 'Count', dimensions: ['function_name', 'status_changed_to'] },
} as const satisfies Record<string, RequestMetric>;
