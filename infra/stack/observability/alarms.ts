import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmThresholds } from '../../settings/stages.ts';

/** The runbooks that alarms lead to: `docs/runbooks/<name>.md`. */
export const runbooks = [
  'issuer-outage',
  'throttling',
  'poisoned-record',
  'rollback',
  'edge',
] as const;

/** When an alarm sounds, and what whoever hears it is to do. */
export interface AlarmSpec {
  /** Lower case with hyphens, unique in the stack, whose name is put before it. */
  name: string;
  metric: IMetric;
  /** The alarm sounds where the metric is more than this. */
  threshold: number;
  /** What has happened, and what to look at first. */
  description: string;
  runbook: (typeof runbooks)[number];
  /** Whether a new version that makes it sound is to be taken back. */
  rollsBack?: boolean;
  /** How many of how many periods must be over the threshold, where not the stage says it. */
  timing?: Pick<AlarmThresholds, 'periods' | 'periodsOver'>;
}

interface AlarmsProps {
  specs: readonly AlarmSpec[];
  thresholds: AlarmThresholds;
  topic: ITopic;
}

/** The alarms, each of which says on the topic that it sounds, and that it is over. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];
  /** Those that a new version should be taken back for. */
  readonly rollback: readonly Alarm[];

  constructor(scope: Construct, id: string, { specs, thresholds, topic }: AlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    const made = specs.map((spec) => ({ spec, alarm: this.alarm(spec, thresholds) }));
    for (const { alarm } of made) {
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
    this.alarms = made.map(({ alarm }) => alarm);
    this.rollback = made.filter(({ spec }) => spec.rollsBack).map(({ alarm }) => alarm);
  }

  private alarm(spec: AlarmSpec, thresholds: AlarmThresholds): Alarm {
    const { name, metric, threshold, description, runbook } = spec;
    const { periods, periodsOver } = spec.timing ?? thresholds;
    return new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${description} Runbook: docs/runbooks/${runbook}.md`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: periodsOver,
      // No requests are no failures.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
