import type { Duration } from 'aws-cdk-lib';
import {
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { operations } from '../../../functions/contract/operations.ts';
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

type RequestMetrics = typeof requestMetrics;
type Dimensions<Name extends keyof RequestMetrics> = Record<
  RequestMetrics[Name]['dimensions'][number],
  string
>;

/** Counts and percentiles over periods of one length, for alarms and graphs alike. */
export class Metrics {
  readonly period: Duration;
  readonly #resources: MonitoredResources;

  constructor(resources: MonitoredResources, period: Duration) {
    this.#resources = resources;
    this.period = period;
  }

  ofApi() {
    const { httpStage, throttledRequests } = this.#resources.api;
    return {
      requests: httpStage.metricCount(this.sum('requests')),
      clientErrors: httpStage.metricClientError(this.sum('4xx')),
      serverErrors: httpStage.metricServerError(this.sum('5xx')),
      throttled: throttledRequests.metric(this.sum('429')),
      latency: (percentile: number) => httpStage.metricLatency(this.percentile(percentile)),
    };
  }

  ofFunction({ function: lambda }: OperationFunction) {
    return {
      invocations: lambda.metricInvocations(this.sum('requests')),
      errors: lambda.metricErrors(this.sum()),
      throttles: lambda.metricThrottles(this.sum()),
      duration: (percentile: number) => lambda.metricDuration(this.percentile(percentile)),
    };
  }

  /** One of the service's own metrics, which filters of the functions' logs count. */
  ofRequests<Name extends keyof RequestMetrics>(
    name: Name,
    dimensions: Dimensions<Name>,
    label: string,
  ): Metric {
    return new Metric({
      namespace: metricsNamespace(this.#resources.api),
      metricName: name,
      dimensionsMap: dimensions,
      ...this.sum(label),
    });
  }

  /** Jobs whose status changed. */
  ofStatusChanges(): Metric {
    const { operationId: operation } = operations['update-job-status'];
    return this.ofRequests('status_changes', { operation }, 'status changes');
  }

  ofTable() {
    const { table } = this.#resources;
    const systemErrors = [...new Set(Object.values(tableOperations))].map(
      (Operation, index): [string, IMetric] => [
        `errors${index}`,
        table.metric('SystemErrors', {
          ...this.sum(),
          dimensionsMap: { TableName: table.tableName, Operation },
        }),
      ],
    );
    return {
      readUnits: table.metricConsumedReadCapacityUnits(this.sum('read units')),
      writeUnits: table.metricConsumedWriteCapacityUnits(this.sum('write units')),
      throttles: this.total('throttled requests', {
        reads: table.metric('ReadThrottleEvents', this.sum()),
        writes: table.metric('WriteThrottleEvents', this.sum()),
      }),
      systemErrors: this.total('system errors', Object.fromEntries(systemErrors)),
    };
  }

  ofDeadLetters(): Metric {
    return this.#resources.events.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      period: this.period,
      statistic: Stats.MAXIMUM,
      label: 'dead letters',
    });
  }

  /** EventBridge Pipes has no metric of the age of records that a pipe has not read yet. */
  ofPipe() {
    const { pipeName: PipeName } = this.#resources.events.pipe;
    const metric = (metricName: string) =>
      new Metric({
        namespace: 'AWS/EventBridge/Pipes',
        metricName,
        dimensionsMap: { PipeName },
        ...this.sum(),
      });
    return {
      events: metric('EventCount'),
      failures: this.total('failed executions', {
        failed: metric('ExecutionFailed'),
        partial: metric('ExecutionPartiallyFailed'),
        late: metric('ExecutionTimeout'),
      }),
    };
  }

  /** @param usingMetrics by the names, which begin in lower case, that the expression uses. */
  expression(label: string, expression: string, usingMetrics: Record<string, IMetric>) {
    return new MathExpression({ label, expression, usingMetrics, period: this.period });
  }

  /** The sum of metrics some of which AWS sends only if they are not 0. */
  private total(label: string, usingMetrics: Record<string, IMetric>): MathExpression {
    const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
    return this.expression(label, terms.join(' + '), usingMetrics);
  }

  private sum(label?: string): MetricOptions {
    return { period: this.period, statistic: Stats.SUM, ...(label !== undefined && { label }) };
  }

  private percentile(percentile: number): MetricOptions {
    return { period: this.period, statistic: Stats.p(percentile), label: `p${percentile}` };
  }
}
