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

/** When an alarm goes to ALARM, and what an operator does then. */
export interface AlarmSpec {
  /** In kebab-case, unique in the stack, whose name is prefixed. */
  name: string;
  metric: IMetric;
  /** A datapoint above this is breaching, or one below it if `isMinimum`. */
  threshold: number;
  isMinimum?: true;
  /** So many of the last `evaluationPeriods` datapoints must be breaching. */
  datapointsToAlarm: number;
  evaluationPeriods: number;
  /** Whether the alarm keeps its state without data. By default it goes to OK: no requests, no failures. */
  keepsState?: true;
  /** What has happened, and what to look at first. */
  description: string;
  /** The page in `docs/runbooks`, with the section. */
  runbook: string;
}

interface AlarmsProps {
  specs: readonly AlarmSpec[];
  /** Who is told when an alarm goes to ALARM or OK; without it, nobody. */
  topic?: ITopic;
}

/** Alarms, as a table says. */
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
  { name, description, runbook, isMinimum, keepsState, ...spec }: AlarmSpec,
): Alarm {
  // The id is the same for each version, so that the alarm on a new version replaces that on the last one.
  return new Alarm(scope, name.replace(/-of-version-.*/, ''), {
    ...spec,
    alarmName: `${Stack.of(scope).stackName}-${name}`,
    alarmDescription: descriptionOf({ description, runbook }),
    comparisonOperator: isMinimum
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: keepsState ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
  });
}

/** Returns the text of an alarm: what has happened, and the runbook. */
export const descriptionOf = ({
  description,
  runbook,
}: Pick<AlarmSpec, 'description' | 'runbook'>) =>
  `${description} Runbook: docs/runbooks/${runbook}`;

/**
 * Returns the expression for a share in percent that has no value while it is neither above the threshold with at
 * least `fewest` occurrences nor below a quarter of the threshold. An alarm that keeps its state without data then does
 * not flap if the share is close to the threshold: CloudWatch drops a division by 0.
 */
export const shareWithGap = (part: string, whole: string, fewest: number, threshold: number) =>
  `100 * ${part} / ${whole} / ` +
  `((${part} >= ${fewest} AND 100 * ${part} > ${threshold} * ${whole}) OR 400 * ${part} <= ${threshold} * ${whole})`;
