import { expect, it } from 'vitest';
import { requestMetrics } from '../../../../infra/stack/request-metrics.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';
import { alarmsOf, metricNamesOf } from './alarms.ts';

const template = templateOf({ stage: 'prod' });

it("the dashboard shows every alarm, every metric that one reads, and the service's own", () => {
  const [{ DashboardBody: body } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const text = JSON.stringify(body);
  const alarms = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
  const ofStack = alarms.filter((id) => id.startsWith('Observability'));
  const read = [...alarmsOf(template).values()].flatMap(metricNamesOf);
  for (const name of [...ofStack, ...read, ...Object.keys(requestMetrics)]) {
    expect(text).toMatch(new RegExp(`"${name}"|"${name}\\\\"`));
  }
  // At most 50, or the dashboard is never free (docs/cost.md).
  const metrics = text.match(/\[\\"(?:AWS|recruitment)\/|\\"expression\\"/g);
  expect(metrics).toHaveLength(40);
});
