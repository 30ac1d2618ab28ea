import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { MonitoredStage } from '../stages/stage.ts';
import { alarmTable } from './alarm-table.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { Alarms } from './alarms.ts';
import { ServiceDashboard } from './dashboard.ts';
import { ErrorBudget } from './error-budget.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';
import { SavedQueries } from './queries.ts';

/** The period of the graphs. CloudWatch lengthens the period if a graph shows a longer time range. */
const GRAPH_MINUTES = 5;

interface ObservabilityProps {
  stage: MonitoredStage;
  resources: MonitoredResources;
  alarmEmail: string | undefined;
  /** The certificate for the API's own domain name, if the API has one. */
  certificateArn: string | undefined;
}

/** The monitoring of the service: a dashboard, alarms and saved log queries. */
export class Observability extends Construct {
  /** The topic that alarms notify. An operator may subscribe a pager or a chat to the topic. */
  readonly alarmTopic: ITopic;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { stage, resources, alarmEmail, certificateArn } = props;
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { email: alarmEmail });
    const { objectivePercent } = stage.alarms;
    const budget = new ErrorBudget(this, 'ErrorBudget', { resources, objectivePercent, topic });
    const { alarms } = new Alarms(this, 'Alarms', {
      specs: alarmTable(resources, stage.alarms, certificateArn),
      topic,
    });
    new ServiceDashboard(this, 'Dashboard', {
      metrics: metricsOf(resources, Duration.minutes(GRAPH_MINUTES)),
      functions: resources.functions,
      latencyP99Ms: stage.alarms.latencyP99Ms,
      alarms: [budget.alarm, ...alarms],
    });
    new SavedQueries(this, 'Queries', {
      logGroups: resources.functions.map(({ function: { logGroup } }) => logGroup),
    });
    this.alarmTopic = topic;
  }
}
