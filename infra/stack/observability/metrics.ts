import type { Duration } from 'aws-cdk-lib';
import {
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type OperationName, operations } from '../../../functions/operations/operations.ts';
import type { RecruitmentApi } from '../api.ts';
import type { JobEvents } from '../events/job-events.ts';
import type { OperationFunction } from '../function.ts';
import { metricsNamespace, type requestMetrics } from '../request-metrics.ts';
import type { RecruitmentTable } from '../table.ts';

/** The resources that the dashboard and the alarms read. */
export interface MonitoredResources {
  api: RecruitmentApi;
  functions: readonly OperationFunction[];
  table: RecruitmentTable['table'];
  events: JobEvents;
}

export type Metrics = ReturnType<typeof metricsOf>;

/** Returns the metrics of a stack for alarms and graphs. All metrics have the same period. */
export function metricsOf({ api, functions, table, events }: MonitoredResources, period: Duration) {
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
  /** @param usingMetrics the metrics by their names in the expression. A name begins with a lower-case letter. */
  const expression = (label: string, text: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({ label, expression: text, usingMetrics, period });
  /** Returns one of the service's own metrics, which metric filters count in the functions' logs. */
  const ofRequests = (
    metricName: keyof typeof requestMetrics,
    label: string,
    name?: OperationName,
    others: Record<string, string> = {},
  ) =>
    new Metric({
      namespace: metricsNamespace(api),
      metricName,
      ...(name && { dimensionsMap: { operation: operations[name].operationId, ...others } }),
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
    throttled: api.metricThrottled(sum('429')),
    latency: (value: number) => api.httpStage.metricLatency(percentile(value)),
    rejectedTokens: ofRequests('rejected_tokens', 'tokens rejected'),
    acceptedTokens: ofRequests('accepted_tokens', 'tokens accepted'),
    /** Returns the metrics of one function. `failures` takes the code of a problem. */
    ofFunction: ({ operation, function: lambda }: OperationFunction) => ({
      invocations: lambda.metricInvocations(sum('requests')),
      errors: lambda.metricErrors(sum()),
      throttles: lambda.metricThrottles(sum()),
      duration: (value: number) => lambda.metricDuration(percentile(value)),
      failures: (outcome: string) => ofRequests('failures', outcome, operation, { outcome }),
      coldStarts: ofRequests('cold_starts', 'cold starts', operation),
    }),
    /**
     * Returns the metrics of a function's newest version. Lambda sends the metrics of a version only while the alias
     * splits the traffic between two versions (AWS Lambda Developer Guide, "Viewing metrics for Lambda functions").
     */
    ofNewVersion: ({
      operation,
      function: lambda,
      live: { aliasName, version },
    }: OperationFunction) => {
      const dimensionsMap = {
        FunctionName: lambda.functionName,
        Resource: `${lambda.functionName}:${aliasName}`,
        ExecutedVersion: version.version,
      };
      return {
        errors: lambda.metricErrors({ ...sum(), dimensionsMap }),
        duration: lambda.metricDuration({ period, statistic: Stats.AVERAGE, dimensionsMap }),
        failures: (outcome: string) =>
          ofRequests('failures_by_version', outcome, operation, {
            outcome,
            function_version: version.version,
          }),
      };
    },
    statusChanges: ofRequests('status_changes', 'status changes'),
    readUnits: table.metricConsumedReadCapacityUnits(sum('read units')),
    writeUnits: table.metricConsumedWriteCapacityUnits(sum('write units')),
    readThrottles: table.metric('ReadThrottleEvents', sum('throttled reads')),
    writeThrottles: table.metric('WriteThrottleEvents', sum('throttled writes')),
    tableErrors: table.metricSystemErrorsForOperations({
      operations: [...new Set(functions.map(({ permissions }) => permissions.tableAction))],
      ...sum('system errors'),
    }),
    deadLetters: events.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      period,
      statistic: Stats.MAXIMUM,
      label: 'dead letters',
    }),
    pipeEvents: ofPipe('EventCount'),
    pipeFailures: expression('failed executions', 'failed + partial + late', {
      failed: ofPipe('ExecutionFailed'),
      partial: ofPipe('ExecutionPartiallyFailed'),
      late: ofPipe('ExecutionTimeout'),
    }),
  };
}
