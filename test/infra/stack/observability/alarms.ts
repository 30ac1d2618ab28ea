import type { Template } from 'aws-cdk-lib/assertions';
import { propertiesOf, textOf } from '../../../support/stack.ts';

interface MetricStat {
  Metric: {
    Namespace: string;
    MetricName: string;
    Dimensions?: { Name: string; Value: unknown }[];
  };
  Period: number;
  Stat: string;
}

interface AlarmProperties extends Partial<MetricStat['Metric']> {
  id: string;
  AlarmName: unknown;
  AlarmDescription: unknown;
  AlarmActions?: unknown[];
  OKActions?: unknown[];
  Period?: number;
  Statistic?: string;
  Metrics?: { Id: string; Expression?: string; MetricStat?: MetricStat }[];
  Threshold: number;
  EvaluationPeriods: number;
  TreatMissingData: string;
}

/** Alarm name without the stack's name -> alarm. `N` stands for a function version's number. */
export function alarmsOf(template: Template): Map<string, AlarmProperties> {
  return new Map(
    Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(
      ([id, { Properties: alarm }]): [string, AlarmProperties] => [
        textOf(alarm.AlarmName)
          .replace(/^RecruitmentService-[a-z]+-/, '')
          .replace(/of-version-.*/, 'of-version-N'),
        { ...alarm, id },
      ],
    ),
  );
}

export const rollbackIds = (template: Template) =>
  new Set(
    propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup').flatMap(
      ({ AlarmConfiguration: it }) =>
        (it as { Alarms: { Name: { Ref: string } }[] }).Alarms.map(({ Name }) => Name.Ref),
    ),
  );

export function metricsOf({ Metrics, ...alarm }: AlarmProperties): MetricStat[] {
  if (Metrics) return Metrics.flatMap(({ MetricStat: it }) => it ?? []);
  const { Namespace, MetricName, Dimensions = [], Period = 0, Statistic: Stat = '' } = alarm;
  if (Namespace === undefined || MetricName === undefined) return [];
  return [{ Metric: { Namespace, MetricName, Dimensions }, Period, Stat }];
}
