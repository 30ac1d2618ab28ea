import type { Template } from 'aws-cdk-lib/assertions';

/** A metric of an alarm: one of CloudWatch, or what is calculated of others. */
export interface AlarmMetric {
  Id: string;
  Expression?: string;
  ReturnData?: boolean;
  MetricStat?: { Period: number; Stat: string; Metric: { Namespace: string; MetricName: string } };
}

/** What CloudFormation makes an alarm of. */
export interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions: unknown[];
  OKActions: unknown[];
  Threshold: number;
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
  TreatMissingData: string;
  ComparisonOperator: string;
  /** Where the alarm is of one metric. */
  Namespace?: string;
  MetricName?: string;
  Statistic?: string;
  ExtendedStatistic?: string;
  Period?: number;
  /** Where it is of an expression. */
  Metrics?: AlarmMetric[];
}

/** What an alarm's name begins with: the name of its stack. */
const OF_A_STACK = /^(RecruitmentService-[a-z]+|[A-Z]\w*)-/;

/** The alarms of a template by their names, without that of the stack; those of versions have other names. */
export function alarmsOf(template: Template): Map<string, AlarmProperties> {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties: alarm }) => alarm,
  );
  return new Map(
    alarms
      .filter(({ AlarmName: name }) => typeof name === 'string')
      .map((alarm) => [alarm.AlarmName.replace(OF_A_STACK, ''), alarm]),
  );
}

/** How long the periods of an alarm are, in seconds. */
export function periodsOf({ Period, Metrics = [] }: AlarmProperties): Set<number> {
  const periods = [Period, ...Metrics.map(({ MetricStat }) => MetricStat?.Period)];
  return new Set(periods.filter((period) => period !== undefined));
}

/**
 * The value of an alarm's expression, of the metrics' values by their names in it; one that is not
 * given has no value in this period. Knows what the alarms use of CloudWatch's metric math.
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
