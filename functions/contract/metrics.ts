/** The namespace of the service's own metrics in CloudWatch. */
export const METRICS_NAMESPACE = 'recruitment';

/** One of the service's own metrics: its unit, and the log line's members that are its dimensions. */
interface RequestMetric {
  readonly unit: 'Count';
  readonly dimensions: readonly string[];
}

/**
 * The metrics that CloudWatch extracts from the log lines; the dashboard or an alarm reads each.
 * CloudWatch bills each combination of the dimensions' values, and everyone with access to dashboards
 * sees them, so they have few values and are never a tenant, a subject or an id. The function's name
 * tells stages and operations apart.
 */
export const requestMetrics = {
  /** Requests by their outcome: `ok` or a problem's code. */
  requests: { unit: 'Count', dimensions: ['function_name', 'outcome'] },
  /** First requests of an execution environment. */
  cold_starts: { unit: 'Count', dimensions: ['function_name'] },
  /** Changes of a job's status to another. */
  status_changes: { unit: 'Count', dimensions: ['function_name', 'status_changed_to'] },
} as const satisfies Record<string, RequestMetric>;
