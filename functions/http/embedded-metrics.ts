import { METRICS_NAMESPACE, requestMetrics } from '../contract/metrics.ts';

/** Tells CloudWatch which members of a log line are a metric and its dimensions. */
interface MetricDirective {
  Namespace: string;
  Dimensions: readonly (readonly string[])[];
  Metrics: readonly { Name: string; Unit: string }[];
}

const directives = Object.entries(requestMetrics).map(
  ([name, { unit, dimensions }]): [name: string, directive: MetricDirective] => [
    name,
    {
      Namespace: METRICS_NAMESPACE,
      Dimensions: [dimensions],
      Metrics: [{ Name: name, Unit: unit }],
    },
  ],
);

/**
 * A log line with the member by which CloudWatch makes metrics of it, at no call and no other line
 * (Embedded Metric Format, section "Embedded metric format document structure"): of each metric that
 * the line has a value of.
 * @param time when it was, in milliseconds since 1970.
 */
export function withEmbeddedMetrics<Line extends object>(line: Line, time: number) {
  const CloudWatchMetrics = directives
    .filter(([name]) => name in line)
    .map(([, directive]) => directive);
  return { ...line, _aws: { Timestamp: time, CloudWatchMetrics } };
}
