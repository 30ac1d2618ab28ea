import type { Template } from 'aws-cdk-lib/assertions';
import { propertiesOf, textOf } from '../../../support/stack.ts';

export interface MetricStat {
  Metric: {
    Namespace: string;
    MetricName: string;
    Dimensions?: { Name: string; Value: unknown }[];
  };
  Period: number;
  Stat: string;
}

/** The properties of an alarm in CloudFormation. An alarm is on one metric or on `Metrics`. */
export interface AlarmProperties extends Partial<MetricStat['Metric']> {
  /** The logical id. */
  id: string;
  AlarmName: unknown;
  AlarmDescription: string;
  AlarmActions?: unknown[];
  OKActions?: unknown[];
  Period?: number;
  Statistic?: string;
  ExtendedStatistic?: string;
  Metrics?: { Id: string; Expression?: string; MetricStat?: MetricStat }[];
  ComparisonOperator: 'GreaterThanThreshold' | 'LessThanThreshold';
  Threshold: number;
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
  TreatMissingData: 'notBreaching' | 'ignore';
}

/** Returns a stack's alarms by name, without the stack's name. The name of an alarm on a version ends with `N`. */
export function alarmsOf(template: Template): Map<string, AlarmProperties> {
  const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  return new Map(
    alarms.map(([id, { Properties: alarm }]): [string, AlarmProperties] => [
      textOf(alarm.AlarmName)
        .replace(/^RecruitmentService-[a-z]+-/, '')
        .replace(/of-version-.*/, 'of-version-N'),
      { ...alarm, id },
    ]),
  );
}

/** The properties of a composite alarm. Its rule is a text with logical ids in place of the alarms' ARNs. */
export interface CompositeProperties {
  id: string;
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions?: unknown[];
  OKActions?: unknown[];
  rule: string;
}

/** Returns a stack's composite alarms by name, without the stack's name. */
export const compositesOf = (template: Template): Map<string, CompositeProperties> =>
  new Map(
    Object.entries(template.findResources('AWS::CloudWatch::CompositeAlarm')).map(
      ([id, { Properties: alarm }]) => {
        const parts: (string | { 'Fn::GetAtt': [string, string] })[] =
          alarm.AlarmRule['Fn::Join'][1];
        const rule = parts.map((it) => (typeof it === 'string' ? it : it['Fn::GetAtt'][0]));
        return [
          textOf(alarm.AlarmName).replace(/^RecruitmentService-[a-z]+-/, ''),
          { ...alarm, id, rule: rule.join('') },
        ];
      },
    ),
  );

/** Returns the logical ids of the alarms that roll back a deployment. */
export const rollbackIds = (template: Template) =>
  new Set(
    propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup').flatMap(
      ({ AlarmConfiguration: it }) =>
        (it as { Alarms: { Name: { Ref: string } }[] }).Alarms.map(({ Name }) => Name.Ref),
    ),
  );

/** Returns an alarm's expression, and its metrics by their names in the expression. */
export function readMetrics({ Metrics = [], ...alarm }: AlarmProperties) {
  const { Namespace = '', MetricName, Dimensions = [], Period = 0 } = alarm;
  if (MetricName !== undefined) {
    const Stat = alarm.ExtendedStatistic ?? alarm.Statistic ?? '';
    const it: MetricStat = { Metric: { Namespace, MetricName, Dimensions }, Period, Stat };
    return { expression: 'it', metrics: { it } };
  }
  const metrics: Record<string, MetricStat> = Object.fromEntries(
    Metrics.flatMap(({ Id, MetricStat: it }) => (it ? [[Id, it]] : [])),
  );
  const expression = Metrics.find((it) => it.Expression)?.Expression ?? Metrics[0]?.Id ?? '';
  return { expression, metrics };
}
