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

/** When an alarm goes off, and what an operator does then. */
export interface AlarmSpec {
  /** In kebab-case, unique in the stack, whose name is prefixed. */
  name: string;
  metric: IMetric;
  /** The alarm goes off if the metric is greater than this. */
  threshold: number;
  /** What has happened, and what to look at first. */
  description: string;
  /** The name of the runbook: `docs/runbooks/<name>.md`. */
  runbook: 'certificate' | 'poisoned-record' | 'rollback' | 'throttling';
  /** Whether it rolls a deployment back. */
  rollsBack?: boolean;
  /** How many of how many periods must be over the threshold; by default those of the stage. */
  timing?: Pick<AlarmThresholds, 'periods' | 'periodsOver'>;
}

interface AlarmsProps {
  specs: readonly AlarmSpec[];
  thresholds: AlarmThresholds;
  topic: ITopic;
}

/** The alarms, each of which tells the topic when it goes off and when it is over. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];
  /** Those that roll a deployment back. */
  readonly rollback: readonly Alarm[];

  constructor(scope: Construct, id: string, { specs, thresholds, topic }: AlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    const created = specs.map((spec) => {
      const { periods, periodsOver } = spec.timing ?? thresholds;
      const alarm = new Alarm(this, spec.name, {
        alarmName: `${Stack.of(this).stackName}-${spec.name}`,
        alarmDescription: `${spec.description} Runbook: docs/runbooks/${spec.runbook}.md`,
        metric: spec.metric,
        threshold: spec.threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: periods,
        datapointsToAlarm: periodsOver,
        // Without requests there are no failures.
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return { spec, alarm };
    });
    this.alarms = created.map(({ alarm }) => alarm);
    this.rollback = created.filter(({ spec }) => spec.rollsBack).map(({ alarm }) => alarm);
  }
}
