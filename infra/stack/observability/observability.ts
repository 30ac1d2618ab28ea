import { Duration } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { StorageProps } from '../encryption.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { type AlarmSpec, Alarms } from './alarms.ts';
import { ServiceDashboard } from './dashboard.ts';
import { eventAlarms } from './event-alarms.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';
import { SavedQueries } from './queries.ts';
import { apiAlarms, certificateEnds, functionAlarms, quietAlarms } from './request-alarms.ts';

interface ObservabilityProps extends StorageProps {
  resources: MonitoredResources;
  alarmEmail: string | undefined;
  /** The certificate of the API's own name, if it has one. */
  certificateArn: string | undefined;
}

/** What operators see of the service: a dashboard, alarms, and saved queries of the logs. */
export class Observability extends Construct {
  /** Where alarms go; subscribe a pager or a chat to it. */
  readonly alarmTopic: ITopic;
  /** The alarms that roll a deployment back. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { stage, encryptionKey, resources, alarmEmail, certificateArn } = props;
    const { alarms: thresholds } = stage;
    const metrics = metricsOf(resources, Duration.minutes(thresholds.periodMinutes));
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { encryptionKey, email: alarmEmail });
    const specs: AlarmSpec[] = [
      ...apiAlarms(metrics, thresholds),
      ...quietAlarms(resources),
      ...functionAlarms(metrics, resources.functions, thresholds),
      ...eventAlarms(resources, thresholds),
      ...(certificateArn === undefined ? [] : [certificateEnds(certificateArn)]),
    ];
    const { alarms, rollback } = new Alarms(this, 'Alarms', { specs, thresholds, topic });
    new ServiceDashboard(this, 'Dashboard', {
      metrics,
      functions: resources.functions,
      latencyP99Ms: thresholds.latencyP99Ms,
      alarms,
    });
    new SavedQueries(this, 'Queries', {
      logGroups: resources.functions.map(({ function: { logGroup } }) => logGroup),
    });
    this.alarmTopic = topic;
    this.rollbackAlarms = rollback;
  }
}
