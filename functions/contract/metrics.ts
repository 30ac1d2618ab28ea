/** The namespace of the service's own metrics in CloudWatch. */
export const METRICS_NAMESPACE = 'recruitment';

/** One of the service's own metrics: its unit, and the members of the log line that are its dimensions. */
interface RequestMetric {
  readonly unit: 'Count';
  readonly dimensions: readonly string[];
}

/**
 * What CloudWatch counts in the log lines; the dashboard or an alarm reads each. Every combination of
 * the dimensions' values is a metric that CloudWatch bills and that dashboards show, so a dimension has
 * few values, and is never a tenant, a subject or an id. The function's name tells stages and
 * operations apart.
 */
export const requestMetrics = {
  /** Requests that were answered, by their outcome: `ok` or a problem's code. */
  requests: { unit: 'Count', dimensions: ['function_name', 'outcome'] },
  /** First requests of an instance of a function. */
  cold_starts: { unit: 'Count', dimensions: ['function_name'] },
  /** Changes of a job's status to another. */
  status_changes: { unit: 'Count', dimensions: ['function_name', 'status_changed_to'] },
} as const satisfies Record<string, RequestMetric>;
