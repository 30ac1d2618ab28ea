import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { MonitoredStage } from '../stages/stage.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { Alarms } from './alarms.ts';
import { ServiceDashboard } from './dashboard.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';
import { publishedEventsRule } from './published-events.ts';
import { SavedQueries } from './queries.ts';

const GRAPH_MINUTES = 5;

interface ObservabilityProps {
  stage: MonitoredStage;
  resources: Omit<MonitoredResources, 'published'>;
  alarmEmail: string | undefined;
  certificateArn: string | undefined;
}

export class Observability extends Construct {
  readonly alarmTopic: ITopic;

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    const { stage, alarmEmail, certificateArn } = props;
    const { events, functions } = props.resources;
    const resources = { ...props.resources, published: publishedEventsRule(this, events) };
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { email: alarmEmail });
    const { alarms } = new Alarms(this, 'Alarms', {
      resources,
      thresholds: stage.alarms,
      certificateArn,
      topic,
    });
    new ServiceDashboard(this, 'Dashboard', {
      metrics: metricsOf(resources, Duration.minutes(GRAPH_MINUTES)),
      functions,
      slowMs: stage.alarms.slowMs,
      alarms,
    });
    new SavedQueries(this, 'Queries', {
      logGroups: functions.map(({ function: { logGroup } }) => logGroup),
    });
    this.alarmTopic = topic;
  }
}
