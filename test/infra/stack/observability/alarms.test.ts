import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runbookAddress } from '../../../../infra/stack/observability/alarms.ts';
import { monitoredStages, ownDomain } from '../../../support/deployments.ts';
import { idOf, propertiesOf, templateOf, textOf } from '../../../support/stack.ts';
import { alarmsOf, metricsOf, rollbackIds } from './alarms.ts';

/** Metrics that AWS services write, with their dimensions, according to the services' user guides. */
const AWS_METRICS: Readonly<Record<string, Readonly<Record<string, string[]>>>> = {
  'AWS/ApiGateway': { Count: ['ApiId', 'Stage'], '5xx': ['ApiId', 'Stage'] },
  'AWS/CertificateManager': { DaysToExpiry: ['CertificateArn'] },
  'AWS/Events': { MatchedEvents: ['EventBusName', 'RuleName'] },
  'AWS/Lambda': { Errors: ['FunctionName'] },
  'AWS/SQS': { ApproximateNumberOfMessagesVisible: ['QueueName'] },
};
/** Statistics other than the sum. */
const STATISTICS: Readonly<Record<string, string>> = {
  ApproximateNumberOfMessagesVisible: 'Maximum',
  DaysToExpiry: 'Minimum',
  Duration: 'Average',
};

describe.each(monitoredStages)('the alarms of %s', (stage) => {
  const template = templateOf({ stage, ...ownDomain });
  const alarms = alarmsOf(template);
  const rollback = rollbackIds(template);

  it('that notify are nine, and those that do not roll a deployment back', () => {
    const topic = [{ Ref: idOf(template, 'AWS::SNS::Topic') }];
    const notifying = [...alarms].filter(([, { id }]) => !rollback.has(id));
    expect(notifying.map(([name]) => name).toSorted()).toEqual([
      'bugs',
      'certificate-ends',
      'dead-letters',
      'error-budget',
      'events-late',
      'outage',
      'slow',
      'throttled-requests',
      'tokens-rejected',
    ]);
    for (const [name, { id, AlarmActions, OKActions }] of alarms) {
      const actions = rollback.has(id) ? undefined : topic;
      expect([AlarmActions, OKActions], name).toEqual([actions, actions]);
    }
  });

  it('say what to look at first, where the section of the runbook is, and where the dashboard', () => {
    const [{ DashboardName } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
    for (const [name, { id, AlarmDescription }] of alarms) {
      const description = textOf(AlarmDescription);
      expect(description).toContain('Look first at ');
      // CloudWatch allows 1,024 characters. The rest leaves room for a repository address longer than the one here.
      expect(description.length, name).toBeLessThanOrEqual(900);
      const [, page = '', anchor = ''] =
        /Runbook: (docs\/runbooks\/[\w-]+\.md)#([\w-]+) /.exec(description) ?? [];
      const sections = readFileSync(page, 'utf8').match(/^## .*$/gm) ?? [];
      expect(sections.map((it) => it.slice(3).toLowerCase().replaceAll(' ', '-'))).toContain(
        anchor,
      );
      if (!rollback.has(id)) expect(anchor).toBe(name);
      expect(description).toContain(`#dashboards/dashboard/${textOf(DashboardName)}`);
    }
  });

  it('read only metrics that the log or AWS writes, of resources of this stack', () => {
    const filters = propertiesOf(template, 'AWS::Logs::MetricFilter').flatMap(
      ({ MetricTransformations: it }) => it as Record<string, unknown>[],
    );
    for (const [name, alarm] of alarms) {
      const all = metricsOf(alarm);
      expect(all.length, name).toBeGreaterThan(0);
      for (const { Metric: metric, Stat } of all) {
        expect(Stat, name).toBe(STATISTICS[metric.MetricName] ?? 'Sum');
        const { Namespace, MetricName, Dimensions = [] } = metric;
        const dimensions = Dimensions.map(({ Name }) => Name).toSorted();
        const made = filters.filter((it) => it.MetricName === MetricName);
        const keys = (made[0]?.Dimensions as { Key: string }[] | undefined) ?? [];
        const written =
          AWS_METRICS[Namespace]?.[MetricName] ?? keys.map(({ Key }) => Key).toSorted();
        if (!rollback.has(alarm.id)) expect(dimensions, name).toEqual(written);
        if (!Namespace.startsWith('AWS/'))
          expect(made[0], name).toMatchObject({ MetricNamespace: Namespace, MetricName });
        for (const id of JSON.stringify(Dimensions).match(/(?<="(?:Ref|Fn::GetAtt)":\[?")\w+/g) ??
          [])
          expect(template.toJSON().Resources).toHaveProperty(id);
      }
    }
  });

  it('keep their state without data if they notify, and are OK if they roll back', () => {
    for (const [name, { id, TreatMissingData }] of alarms)
      expect(TreatMissingData, name).toBe(rollback.has(id) ? 'notBreaching' : 'ignore');
  });

  // PutMetricAlarm: `Period` times `EvaluationPeriods` is at most seven days, or one day if `Period` is below an hour.
  it('keep the limits of CloudWatch: ten metrics of one period, and seven days or one', () => {
    for (const [name, alarm] of alarms) {
      const metrics = metricsOf(alarm);
      const [period = 0, ...others] = new Set(metrics.map((it) => it.Period));
      expect([metrics.length <= 10, others], name).toEqual([true, []]);
      expect(period * (alarm.EvaluationPeriods ?? 0)).toBeLessThanOrEqual(
        period < 3600 ? 86_400 : 604_800,
      );
    }
  });
});

it.each([
  [undefined, 'docs/runbooks/alarms.md#bugs'],
  ['github:example/service', 'docs/runbooks/alarms.md#bugs'],
  ['https://git.example/a/b', 'https://git.example/a/b/blob/HEAD/docs/runbooks/alarms.md#bugs'],
])('with the repository %j, the runbook is at %s', (repository, address) => {
  expect(runbookAddress('bugs', repository)).toBe(address);
});
