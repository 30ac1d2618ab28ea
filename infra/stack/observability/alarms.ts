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

/** The definition of an alarm: when it goes to ALARM, and what the operator should do. */
export interface AlarmSpec {
  /**
   * The name in kebab-case. In AWS, the stack's name precedes this name. Two alarms may have the same `name` only if
   * exactly one of them has a `version`.
   */
  name: string;
  /** The function version, if the alarm is on a single version. The version is put after the name. */
  version?: string;
  metric: IMetric;
  /** A datapoint is breaching if it is above the threshold or, with `isMinimum`, below the threshold. */
  threshold: number;
  isMinimum?: true;
  /** The number of datapoints, out of the last `evaluationPeriods`, that must be breaching. */
  datapointsToAlarm: number;
  evaluationPeriods: number;
  /**
   * Whether the alarm keeps its state while its metric has no data. By default, the alarm then goes to OK, because no
   * requests means no failures.
   */
  keepsState?: true;
  /** The text of the notification: what happened, what it means and what to look at first. */
  description: string;
  /** The runbook's page and section, relative to `docs/runbooks`. */
  runbook: string;
}

interface AlarmsProps {
  specs: readonly AlarmSpec[];
  /** The topic to notify when an alarm goes to ALARM or OK. By default, the alarms notify nobody. */
  topic?: ITopic;
}

/** The CloudWatch alarms for a list of definitions. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { specs, topic }: AlarmsProps) {
    super(scope, id);
    this.alarms = specs.map((spec) => {
      const alarm = createAlarm(this, spec);
      if (topic !== undefined) {
        alarm.addAlarmAction(new SnsAction(topic));
        alarm.addOkAction(new SnsAction(topic));
      }
      return alarm;
    });
  }
}

/** Creates an alarm that notifies nobody. */
export function createAlarm(
  scope: Construct,
  { name, version, description, runbook, isMinimum, keepsState, ...spec }: AlarmSpec,
): Alarm {
  const suffix = version === undefined ? '' : `-of-version-${version}`;
  // The construct's id leaves out the function version, so that CloudFormation replaces the alarm on the previous
  // version with the alarm on the new version.
  return new Alarm(scope, name, {
    ...spec,
    alarmName: `${Stack.of(scope).stackName}-${name}${suffix}`,
    alarmDescription: descriptionOf({ description, runbook }),
    comparisonOperator: isMinimum
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: keepsState ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
  });
}

/** Returns an alarm's text with the path of its runbook. */
export const descriptionOf = ({
  description,
  runbook,
}: Pick<AlarmSpec, 'description' | 'runbook'>) =>
  `${description} Runbook: docs/runbooks/${runbook}`;

/**
 * Returns a metric expression for a percentage. The expression has a value in two cases: the percentage is above the
 * threshold with at least `fewest` occurrences, or the percentage is at most a quarter of the threshold. In all other
 * cases, the expression divides by 0, and CloudWatch drops the datapoint. An alarm that keeps its state without data
 * therefore does not flap while the percentage is close to the threshold.
 */
export const shareWithGap = (part: string, whole: string, fewest: number, threshold: number) =>
  `100 * ${part} / ${whole} / ` +
  `((${part} >= ${fewest} AND 100 * ${part} > ${threshold} * ${whole}) OR 400 * ${part} <= ${threshold} * ${whole})`;
