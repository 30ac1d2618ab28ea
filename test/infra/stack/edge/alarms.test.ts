import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stages } from '../../../../infra/settings/stages.ts';
import { behindFirewall, edgeTemplateOf } from '../../../support/edge.ts';
import { idOf } from '../../../support/stack.ts';

const template = edgeTemplateOf({ ...behindFirewall, alarmEmail: 'ops@example.com' });
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
  ({ Properties: alarm }) => alarm,
);
const named = (name: string) =>
  alarms.find(({ AlarmName }) => AlarmName === `RecruitmentEdge-prod-${name}`);

describe('the alarms of the edge', () => {
  it('sound where CloudFront does not reach the API', () => {
    expect(named('server-errors')).toMatchObject({
      Namespace: 'AWS/CloudFront',
      MetricName: '5xxErrorRate',
      Statistic: 'Average',
      Threshold: stages.prod.alarms.serverErrorPercent,
      ComparisonOperator: 'GreaterThanThreshold',
      Dimensions: [
        { Name: 'DistributionId', Value: { Ref: idOf(template, 'AWS::CloudFront::Distribution') } },
        { Name: 'Region', Value: 'Global' },
      ],
    });
  });

  it.each([
    ['name', behindFirewall.certificateArn],
    ['client', behindFirewall.originClientCertificateArn],
  ])('sound a month before the certificate of the %s ends', (whose, arn) => {
    const alarm = named(`certificate-of-${whose}-ends`);
    expect(alarm).toMatchObject({ Threshold: 0, EvaluationPeriods: 1 });
    const [expression, days] = alarm?.Metrics ?? [];
    expect(expression.Expression).toBe('30 - days');
    expect(days).toMatchObject({
      Id: 'days',
      MetricStat: {
        Metric: {
          Namespace: 'AWS/CertificateManager',
          MetricName: 'DaysToExpiry',
          Dimensions: [{ Name: 'CertificateArn', Value: arn }],
        },
        Period: 86_400,
        Stat: 'Minimum',
      },
    });
  });

  it('are told to whom those of the service are, and lead to a runbook', () => {
    const topic = { Ref: idOf(template, 'AWS::SNS::Topic') };
    template.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    expect(alarms).toHaveLength(3);
    for (const { AlarmActions, OKActions, AlarmDescription } of alarms) {
      expect([AlarmActions, OKActions]).toEqual([[topic], [topic]]);
      const [runbook = ''] = /docs\/runbooks\/[a-z-]+\.md$/.exec(AlarmDescription) ?? [];
      expect(readFileSync(new URL(`../../../../${runbook}`, import.meta.url), 'utf8')).toContain(
        '502',
      );
    }
  });
});
