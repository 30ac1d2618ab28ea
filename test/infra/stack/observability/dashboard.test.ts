import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requestMetrics } from '../../../../infra/stack/observability/request-metrics.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';
import { alarmsOf, metricsOf, rollbackIds } from './alarms.ts';

const template = templateOf({ stage: 'prod' });
const [{ DashboardBody: body } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
const text = JSON.stringify(body);

it("the dashboard shows every alarm, every metric that one reads, and the service's own", () => {
  const rollback = rollbackIds(template);
  const alarms = [...alarmsOf(template).values()].filter(({ id }) => !rollback.has(id));
  const notifying = alarms.filter(({ AlarmActions: it }) => it);
  // Not drawn: the dashboard shows the failures by outcome, which include these two.
  const { failures_by_version: _, bugs: __, ...shown } = requestMetrics;
  const metrics = alarms.flatMap(metricsOf).map((it) => it.Metric.MetricName);
  const names = metrics.filter((name) => name !== 'bugs');
  for (const name of [...notifying.map(({ id }) => id), ...names, ...Object.keys(shown)]) {
    expect(text).toMatch(new RegExp(`"${name}"|"${name}\\\\"`));
  }
  // CloudWatch's free tier covers only dashboards of at most 50 metrics.
  const drawn = text.match(/\[\\"(?:AWS|recruitment)\/|\\"expression\\"/g);
  expect(drawn?.length).toBeLessThanOrEqual(50);
});

it('the dashboard shows the metrics of DynamoDB and Lambda that the runbook names', () => {
  const runbook = readFileSync('docs/runbooks/alarms.md', 'utf8');
  const metrics = runbook.match(/(?<=`)(\w+Events|Throttles|SystemErrors)(?=`)/g) ?? [];
  expect(metrics.length).toBeGreaterThan(3);
  for (const name of metrics) expect(text).toContain(`\\"${name}\\"`);
});

it('the dashboard shows the errors of each DynamoDB action of the functions', () => {
  const policies = JSON.stringify(propertiesOf(template, 'AWS::IAM::Policy'));
  const actions = policies.match(/(?<="dynamodb:)\w+Item(?=")/g) ?? [];
  expect(actions.length).toBeGreaterThan(1);
  const shown = text.match(/(?<=SystemErrors\W+Operation\W+)\w+/g);
  expect(shown?.toSorted()).toEqual([...new Set(actions)].toSorted());
});
