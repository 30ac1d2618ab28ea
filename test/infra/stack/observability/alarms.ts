import type { Template } from 'aws-cdk-lib/assertions';

/** The properties of an alarm in CloudFormation. */
export interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions: unknown[];
  OKActions: unknown[];
  /** If the alarm is on one metric. */
  MetricName?: string;
  /** If it is on an expression: the expression, and the metrics that it reads. */
  Metrics?: { Id: string; Expression?: string; MetricStat?: { Metric: { MetricName: string } } }[];
}

/** The alarms of a stack by their names without that of the stack; those on versions are not among them. */
export function alarmsOf(template: Template): Map<string, AlarmProperties> {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties: alarm }) => alarm,
  );
  return new Map(
    alarms
      .filter(({ AlarmName: name }) => typeof name === 'string')
      .map((alarm) => [alarm.AlarmName.replace(/^RecruitmentService-[a-z]+-/, ''), alarm]),
  );
}

/** The names of CloudWatch's metrics that an alarm reads, each as often as it reads one. */
export const metricNamesOf = ({ MetricName, Metrics = [] }: AlarmProperties): string[] => [
  ...(MetricName === undefined ? [] : [MetricName]),
  ...Metrics.flatMap(({ MetricStat: it }) => (it ? [it.Metric.MetricName] : [])),
];
