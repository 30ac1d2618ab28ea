import type { Duration } from 'aws-cdk-lib';
import {
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type OperationName, operations } from '../../../functions/contract/operations.ts';
import type { RecruitmentApi } from '../api.ts';
import type { JobEvents } from '../events/job-events.ts';
import type { OperationFunction } from '../function.ts';
import { metricsNamespace, type requestMetrics } from '../request-metrics.ts';
import { type RecruitmentTable, tableOperations } from '../table.ts';

/** What the dashboard and the alarms are about. */
export interface MonitoredResources {
  api: RecruitmentApi;
  functions: readonly OperationFunction[];
  table: RecruitmentTable['table'];
  events: JobEvents;
}

export type Metrics = ReturnType<typeof metricsOf>;

/** The metrics of a stack, as counts and percentiles over periods of one length, for alarms and graphs alike. */
export function metricsOf({ api, table, events }: MonitoredResources, period: Duration) {
  const sum = (label?: string): MetricOptions => ({
    period,
    statistic: Stats.SUM,
    ...(label !== undefined && { label }),
  });
  const percentile = (value: number) => ({
    period,
    statistic: Stats.p(value),
    label: `p${value}`,
  });
  /** @param usingMetrics by the names, which begin in lower case, that the expression uses. */
  const expression = (label: string, text: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({ label, expression: text, usingMetrics, period });
  /** The sum of metrics some of which AWS sends only if they are not 0. */
  const total = (label: string, usingMetrics: Record<string, IMetric>) => {
    const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
    return expression(label, terms.join(' + '), usingMetrics);
  };
  /** One of the service's own metrics, which filters of the functions' logs count. */
  const ofRequests = (
    metricName: keyof typeof requestMetrics,
    name: OperationName,
    label: string,
    others: Record<string, string> = {},
  ) =>
    new Metric({
      namespace: metricsNamespace(api),
      metricName,
      dimensionsMap: { operation: operations[name].operationId, ...others },
      ...sum(label),
    });
  const ofPipe = (metricName: string) =>
    new Metric({
      namespace: 'AWS/EventBridge/Pipes',
      metricName,
      dimensionsMap: { PipeName: events.pipe.pipeName },
      ...sum(),
    });
  return {
    expression,
    requests: api.httpStage.metricCount(sum('requests')),
    clientErrors: api.httpStage.metricClientError(sum('4xx')),
    serverErrors: api.httpStage.metricServerError(sum('5xx')),
    throttled: api.throttledRequests.metric(sum('429')),
    latency: (value: number) => api.httpStage.metricLatency(percentile(value)),
    /** Those of one function; the failures are by the code of their problem. */
    ofFunction: ({ operation, function: lambda }: OperationFunction) => ({
      invocations: lambda.metricInvocations(sum('requests')),
      errors: lambda.metricErrors(sum()),
      throttles: lambda.metricThrottles(sum()),
      duration: (value: number) => lambda.metricDuration(percentile(value)),
      failures: (outcome: string) => ofRequests('failures', operation, outcome, { outcome }),
      coldStarts: ofRequests('cold_starts', operation, 'cold starts'),
    }),
    statusChanges: ofRequests('status_changes', 'update-job-status', 'status changes'),
    readUnits: table.metricConsumedReadCapacityUnits(sum('read units')),
    writeUnits: table.metricConsumedWriteCapacityUnits(sum('write units')),
    tableThrottles: total('throttled requests', {
      reads: table.metric('ReadThrottleEvents', sum()),
      writes: table.metric('WriteThrottleEvents', sum()),
    }),
    tableErrors: table.metricSystemErrorsForOperations({
      operations: Object.values(tableOperations),
      ...sum('system errors'),
    }),
    deadLetters: events.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      period,
      statistic: Stats.MAXIMUM,
      label: 'dead letters',
    }),
    pipeEvents: ofPipe('EventCount'),
    pipeFailures: total('failed executions', {
      failed: ofPipe('ExecutionFailed'),
      partial: ofPipe('ExecutionPartiallyFailed'),
      late: ofPipe('ExecutionTimeout'),
    }),
  };
}
