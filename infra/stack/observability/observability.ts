import { Duration, Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../../../functions/contract/metrics.ts';
import { operationNames } from '../../../functions/contract/operations.ts';
import type { Stage } from '../../settings/stages.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { type AlarmSpec, Alarms } from './alarms.ts';
import { ServiceDashboard } from './dashboard.ts';
import { eventAlarms } from './event-alarms.ts';
import { Metrics } from './metrics.ts';
import type { Observed } from './observed.ts';
import { SavedQueries } from './queries.ts';
import { apiAlarms, functionAlarms, tableAlarms } from './request-alarms.ts';

interface ObservabilityProps extends Observed {
  stage: Stage;
  encryptionKey: IKey;
  alarmEmail: string | undefined;
}

/** What an operations team sees of the service: a dashboard, alarms, questions to the log. */
export class Observability extends Construct {
  /** Where alarms go; subscribe to it whatever calls people. */
  readonly alarmTopic: ITopic;
  /** Those that a new version should be taken back for. */
  readonly rollbackAlarms: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { stage, encryptionKey, alarmEmail, ...observed } = props;
    const { alarms: thresholds } = stage;
    const metrics = new Metrics(Duration.minutes(thresholds.periodMinutes));
    const throttledRequests = this.throttledRequests(observed);
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { encryptionKey, email: alarmEmail });
    const specs: AlarmSpec[] = [
      ...apiAlarms(metrics, observed.api, throttledRequests, thresholds),
      ...functionAlarms(metrics, observed.functions, thresholds),
      ...tableAlarms(metrics, observed.table, thresholds),
      ...eventAlarms(metrics, observed.events, observed.functions, thresholds),
    ];
    const { alarms, rollback } = new Alarms(this, 'Alarms', { specs, thresholds, topic });
    new ServiceDashboard(this, 'Dashboard', {
      metrics,
      observed,
      thresholds,
      throttledRequests,
      alarms,
    });
    new SavedQueries(this, 'Queries', {
      logGroups: operationNames.map((name) => observed.functions[name].logGroup),
    });
    this.alarmTopic = topic;
    this.rollbackAlarms = rollback;
  }

  /** The access log alone tells 429 from other 4xx, and a throttled request from a function's answer. */
  private throttledRequests({ api }: Observed): MetricFilter {
    return new MetricFilter(this, 'ThrottledRequests', {
      logGroup: api.accessLog,
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
      metricNamespace: `${METRICS_NAMESPACE}/${Stack.of(this).stackName}`,
      metricName: 'throttled_requests',
      defaultValue: 0,
    });
  }
}
