import type { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnRule } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { type OperationName, operations } from '../../../functions/operations/operations.ts';
import type { RecruitmentApi } from '../api.ts';
import type { JobEvents } from '../events/job-events.ts';
import type { OperationFunction } from '../function.ts';
import type { RecruitmentTable } from '../recruitment-table.ts';
import { metricsNamespace, type requestMetrics } from './request-metrics.ts';

export interface MonitoredResources {
  api: RecruitmentApi;
  functions: readonly OperationFunction[];
  table: RecruitmentTable['table'];
  events: JobEvents;
  published: CfnRule;
}

export type Metrics = ReturnType<typeof metricsOf>;

const sumOf = (period: Duration, label?: string): MetricOptions => ({
  period,
  statistic: Stats.SUM,
  ...(label !== undefined && { label }),
});

const requestMetric = (
  scope: Construct,
  metricName: keyof typeof requestMetrics,
  options: MetricOptions,
  name?: OperationName,
  others: Record<string, string> = {},
) =>
  new Metric({
    namespace: metricsNamespace(scope),
    metricName,
    ...(name && { dimensionsMap: { operation: operations[name].operationId, ...others } }),
    ...options,
  });

export function metricsOf(resources: MonitoredResources, period: Duration) {
  const { api, functions, table, events, published } = resources;
  const sum = (label?: string) => sumOf(period, label);
  const percentile = (value: number) => ({
    period,
    statistic: Stats.p(value),
    label: `p${value}`,
  });
  const ofRequests = (
    metricName: keyof typeof requestMetrics,
    label: string,
    name?: OperationName,
    others?: Record<string, string>,
  ) => requestMetric(api, metricName, sum(label), name, others);
  const ofPipe = (metricName: string) =>
    new Metric({
      namespace: 'AWS/EventBridge/Pipes',
      metricName,
      dimensionsMap: { PipeName: events.pipe.pipeName },
      ...sum(),
    });
  const crashes = new Map(
    functions.map(({ function: lambda }, nth) => [`crashes${nth}`, lambda.metricErrors(sum())]),
  );
  return {
    requests: api.httpStage.metricCount(sum('requests')),
    clientErrors: api.httpStage.metricClientError(sum('4xx')),
    serverErrors: api.httpStage.metricServerError(sum('5xx')),
    throttled: api.metricThrottled(sum('429')),
    admitted: new MathExpression({
      expression: 'requests - throttled',
      usingMetrics: {
        requests: api.httpStage.metricCount(sum('requests')),
        throttled: api.metricThrottled(sum('429')),
      },
      period,
    }),
    latency: (value: number) => api.httpStage.metricLatency(percentile(value)),
    rejectedTokens: ofRequests('rejected_tokens', 'tokens rejected'),
    acceptedTokens: ofRequests('accepted_tokens', 'tokens accepted'),
    slowResponses: ofRequests('slow_responses', 'slow'),
    /** Adds Lambda's `Errors`, because a function that crashes or times out does not log an outcome. */
    bugsAndCrashes: new MathExpression({
      label: 'bugs and crashes',
      expression: ['bugs', ...crashes.keys()].join(' + '),
      usingMetrics: { bugs: ofRequests('bugs', 'bugs'), ...Object.fromEntries(crashes) },
      period,
    }),
    ofFunction: ({ operation, function: lambda }: OperationFunction) => ({
      invocations: lambda.metricInvocations(sum('requests')),
      errors: lambda.metricErrors(sum()),
      throttles: lambda.metricThrottles(sum()),
      duration: (value: number) => lambda.metricDuration(percentile(value)),
      failures: (outcome: string) => ofRequests('failures', outcome, operation, { outcome }),
      coldStarts: ofRequests('cold_starts', 'cold starts', operation),
    }),
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
    publishedEvents: new Metric({
      namespace: 'AWS/Events',
      metricName: 'MatchedEvents',
      dimensionsMap: { EventBusName: events.bus.eventBusName, RuleName: published.ref },
      ...sum('events'),
    }),
    pipeFailures: new MathExpression({
      label: 'failed executions',
      expression: 'failed + partial + late',
      usingMetrics: {
        failed: ofPipe('ExecutionFailed'),
        partial: ofPipe('ExecutionPartiallyFailed'),
        late: ofPipe('ExecutionTimeout'),
      },
      period,
    }),
  };
}

/**
 * Lambda sends a version's metrics only while the alias splits the traffic (AWS Lambda Developer Guide, "Viewing
 * metrics for Lambda functions").
 */
export function newVersionMetrics(
  { operation, function: lambda, live: { aliasName, version } }: OperationFunction,
  period: Duration,
) {
  const dimensionsMap = {
    FunctionName: lambda.functionName,
    Resource: `${lambda.functionName}:${aliasName}`,
    ExecutedVersion: version.version,
  };
  return {
    errors: lambda.metricErrors({ ...sumOf(period), dimensionsMap }),
    duration: lambda.metricDuration({ period, statistic: Stats.AVERAGE, dimensionsMap }),
    failures: (outcome: string) =>
      requestMetric(lambda, 'failures_by_version', sumOf(period, outcome), operation, {
        outcome,
        function_version: version.version,
      }),
  };
}
