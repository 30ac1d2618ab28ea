import { Duration } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { FirewallSettings } from '../../settings/edge-settings.ts';
import type { Stage } from '../../settings/stages.ts';
import { AlarmTopic } from '../observability/alarm-topic.ts';
import { type AlarmSpec, Alarms } from '../observability/alarms.ts';

interface EdgeAlarmsProps {
  stage: Stage;
  encryptionKey: IKey;
  distribution: Distribution;
  settings: FirewallSettings;
  alarmEmail: string | undefined;
}

/** How long before its end a certificate is to be renewed, in days. */
const RENEWAL_DAYS = 30;

/**
 * Alarms of what the API cannot see: a request that CloudFront cannot pass on reaches no function. Their
 * topic is in the region of the edge, as CloudFront's metrics are.
 */
export class EdgeAlarms extends Construct {
  constructor(scope: Construct, id: string, props: EdgeAlarmsProps) {
    super(scope, id);
    const { stage, encryptionKey, distribution, settings, alarmEmail } = props;
    const { topic } = new AlarmTopic(this, 'AlarmTopic', { encryptionKey, email: alarmEmail });
    new Alarms(this, 'Alarms', {
      specs: [
        serverErrors(distribution, stage),
        certificateEnds('name', settings.certificateArn),
        certificateEnds('client', settings.clientCertificateArn),
      ],
      thresholds: stage.alarms,
      topic,
    });
  }
}

const serverErrors = ({ distributionId }: Distribution, { alarms }: Stage): AlarmSpec => ({
  name: 'server-errors',
  metric: new Metric({
    namespace: 'AWS/CloudFront',
    metricName: '5xxErrorRate',
    dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
    statistic: Stats.AVERAGE,
    period: Duration.minutes(alarms.periodMinutes),
  }),
  threshold: alarms.serverErrorPercent,
  description:
    'CloudFront answers 5xx. Look first whether the API sees the requests: if not, CloudFront cannot ' +
    'reach it, and its certificate may have ended.',
  runbook: 'edge',
});

/** The metric is there once a day (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html). */
const certificateEnds = (whose: 'name' | 'client', arn: string): AlarmSpec => ({
  name: `certificate-of-${whose}-ends`,
  metric: new MathExpression({
    expression: `${RENEWAL_DAYS} - days`,
    label: 'days too few',
    period: Duration.days(1),
    usingMetrics: {
      days: new Metric({
        namespace: 'AWS/CertificateManager',
        metricName: 'DaysToExpiry',
        dimensionsMap: { CertificateArn: arn },
        statistic: Stats.MINIMUM,
        period: Duration.days(1),
      }),
    },
  }),
  threshold: 0,
  timing: { periods: 1, periodsOver: 1 },
  description:
    `The certificate of the ${whose} ends in less than ${RENEWAL_DAYS} days, and nobody is answered then. ` +
    'Look first whether it is renewed by itself: an imported one is not.',
  runbook: 'edge',
});
