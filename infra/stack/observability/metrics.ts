import type { Duration } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { METRICS_NAMESPACE, type requestMetrics } from '../../../functions/contract/metrics.ts';
import type { RecruitmentTable } from '../table.ts';

type RequestMetrics = typeof requestMetrics;
type Dimensions<Name extends keyof RequestMetrics> = Record<
  Exclude<RequestMetrics[Name]['dimensions'][number], 'function_name'>,
  string
>;

/** Counts and percentiles of what is observed, for alarms and graphs alike, of one period. */
export class Metrics {
  readonly period: Duration;

  constructor(period: Duration) {
    this.period = period;
  }

  /** One of the service's own metrics, which the functions write into their log lines. */
  ofRequests<Name extends keyof RequestMetrics>(
    name: Name,
    { functionName }: LambdaFunction,
    dimensions: Dimensions<Name>,
    options: MetricOptions = {},
  ): Metric {
    return new Metric({
      namespace: METRICS_NAMESPACE,
      metricName: name,
      dimensionsMap: { function_name: functionName, ...dimensions },
      ...this.sum(),
      ...options,
    });
  }

  ofApi(api: HttpStage) {
    return {
      requests: api.metricCount(this.sum('requests')),
      clientErrors: api.metricClientError(this.sum('4xx')),
      serverErrors: api.metricServerError(this.sum('5xx')),
      latency: (percentile: number) => api.metricLatency(this.percentile(percentile)),
    };
  }

  /** Requests that the throttle of the stage refused: API Gateway itself counts them among all 4xx. */
  throttledRequests(filter: MetricFilter): Metric {
    return filter.metric(this.sum('429'));
  }

  ofFunction(code: LambdaFunction) {
    return {
      errors: code.metricErrors(this.sum()),
      throttles: code.metricThrottles(this.sum()),
      duration: (percentile: number) => code.metricDuration(this.percentile(percentile)),
    };
  }

  ofTable(table: RecruitmentTable['table']) {
    return {
      readUnits: table.metricConsumedReadCapacityUnits(this.sum('read units')),
      writeUnits: table.metricConsumedWriteCapacityUnits(this.sum('write units')),
      throttles: this.total('throttled requests', {
        reads: table.metric('ReadThrottleEvents', this.sum()),
        writes: table.metric('WriteThrottleEvents', this.sum()),
      }),
      systemErrors: this.total('system errors', {
        get: tableErrors(table, 'GetItem', this.sum()),
        update: tableErrors(table, 'UpdateItem', this.sum()),
      }),
    };
  }

  ofQueue(queue: IQueue) {
    return {
      depth: queue.metricApproximateNumberOfMessagesVisible({
        period: this.period,
        statistic: Stats.MAXIMUM,
        label: 'dead letters',
      }),
    };
  }

  /** Those of EventBridge Pipes, which say nothing of the age of what a pipe has not read yet. */
  ofPipe(PipeName: string) {
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

  /** A sum of metrics of which AWS sends some only where they are not 0: one that lacks is 0. */
  total(label: string, usingMetrics: Record<string, IMetric>): MathExpression {
    const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
    return this.expression(label, terms.join(' + '), usingMetrics);
  }

  /** @param usingMetrics by the names, in lower case first, that the expression has for them. */
  expression(label: string, expression: string, usingMetrics: Record<string, IMetric>) {
    return new MathExpression({ label, expression, usingMetrics, period: this.period });
  }

  private sum(label?: string): MetricOptions {
    return { period: this.period, statistic: Stats.SUM, ...(label !== undefined && { label }) };
  }

  private percentile(percentile: number): MetricOptions {
    return { period: this.period, statistic: Stats.p(percentile), label: `p${percentile}` };
  }
}

const tableErrors = (table: RecruitmentTable['table'], Operation: string, options: MetricOptions) =>
  table.metric('SystemErrors', {
    ...options,
    dimensionsMap: { TableName: table.tableName, Operation },
  });
