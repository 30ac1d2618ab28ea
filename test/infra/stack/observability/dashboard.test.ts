import { expect, it } from 'vitest';
import { requestMetrics } from '../../../../infra/stack/request-metrics.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';
import { alarmsOf, readMetrics } from './alarms.ts';

const template = templateOf({ stage: 'prod' });

it("the dashboard shows every alarm, every metric that one reads, and the service's own", () => {
  const [{ DashboardBody: body } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const text = JSON.stringify(body);
  const alarms = [...alarmsOf(template).values()].filter(({ AlarmActions: it }) => it);
  const read = alarms.flatMap((it) => Object.values(readMetrics(it).metrics));
  const { failures_by_version: _, ...shown } = requestMetrics;
  const names = read.map((it) => it.Metric.MetricName);
  for (const name of [...alarms.map(({ id }) => id), ...names, ...Object.keys(shown)]) {
    expect(text).toMatch(new RegExp(`"${name}"|"${name}\\\\"`));
  }
  // At most 50, or the dashboard is never free (docs/cost.md).
  const metrics = text.match(/\[\\"(?:AWS|recruitment)\/|\\"expression\\"/g);
  expect(metrics?.length).toBeLessThanOrEqual(50);
});
