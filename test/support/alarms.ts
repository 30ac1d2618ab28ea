import type { Template } from 'aws-cdk-lib/assertions';

/** A metric of an alarm: one of CloudWatch, or what is calculated from others. */
interface AlarmMetric {
  Id: string;
  Expression?: string;
  ReturnData?: boolean;
  MetricStat?: {
    Metric: { Namespace: string; MetricName: string; Dimensions?: unknown };
    Period: number;
  };
}

/** The properties of an alarm in CloudFormation. */
export interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions: unknown[];
  OKActions: unknown[];
  TreatMissingData: string;
  ComparisonOperator: string;
  Threshold: number;
  /** If the alarm is on one metric. */
  MetricName?: string;
  /** If it is on an expression. */
  Metrics?: AlarmMetric[];
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

/**
 * The value of an alarm's expression, from the values of the metrics by their ids; one that is not
 * given has no value in the period. It knows the part of CloudWatch's metric math that the alarms use.
 */
export function evaluated(
  { Metrics = [] }: AlarmProperties,
  values: Readonly<Record<string, number>>,
): number | undefined {
  const { Expression = '' } = Metrics.find(({ ReturnData }) => ReturnData !== false) ?? {};
  const names = Metrics.filter(({ MetricStat }) => MetricStat).map(({ Id }) => Id);
  for (const name of Object.keys(values)) {
    if (!names.includes(name)) throw new Error(`The alarm has no metric ${name}: ${names}.`);
  }
  const code = Expression.replaceAll(' AND ', ' && ').replaceAll(' OR ', ' || ');
  const evaluate = new Function('IF', 'FILL', ...names, `return ${code};`);
  const result = evaluate(
    (condition: boolean, yes: number, no?: number) => (condition ? yes : no),
    (value: number | undefined, filler: number) => value ?? filler,
    ...names.map((name) => values[name]),
  );
  return typeof result === 'number' && Number.isFinite(result) ? result : undefined;
}
