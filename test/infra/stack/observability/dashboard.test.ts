import { describe, expect, it } from 'vitest';
import { requestMetrics } from '../../../../infra/stack/request-metrics.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';
import { alarmsOf, metricNamesOf } from './alarms.ts';

interface Widget {
  properties: { alarms?: string[]; metrics?: unknown[][] };
}

const template = templateOf({ stage: 'prod' });

/** The widgets of the dashboard, with the logical ids of the resources that it refers to. */
function readWidgets(): Widget[] {
  const [{ DashboardBody: body } = {}] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  const [, parts] = (body as { 'Fn::Join': [string, (string | Record<string, unknown>)[]] })[
    'Fn::Join'
  ];
  const named = (part: Record<string, unknown>) => String([Object.values(part)[0]].flat()[0]);
  const text = parts.map((part) => (typeof part === 'string' ? part : named(part))).join('');
  return JSON.parse(text).widgets;
}

const widgets = readWidgets();

/** Each metric as a line: its namespace, its name, the values of its dimensions, its statistic. */
const metrics = widgets.flatMap(({ properties: { metrics: shown = [] } }) =>
  shown.map((metric) => {
    const { stat } = metric.at(-1) as { stat?: string };
    const [namespace, name, ...dimensions] = metric.slice(0, -1);
    const values = dimensions.filter((_, index) => index % 2 === 1);
    return [namespace, name, ...values, stat].join(' ');
  }),
);

describe('the dashboard', () => {
  it('shows every alarm, and every metric that an alarm reads', () => {
    const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    const all = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
    const ofStack = all.filter(([id]) => id.startsWith('Observability')).map(([id]) => id);
    expect(shown.toSorted()).toEqual(ofStack.toSorted());
    const read = [...alarmsOf(template).values()].flatMap(metricNamesOf);
    for (const name of new Set(read)) {
      expect(metrics).toContainEqual(expect.stringContaining(` ${name} `));
    }
  });

  it("shows every one of the service's own metrics", () => {
    for (const name of Object.keys(requestMetrics)) {
      expect(metrics).toContainEqual(expect.stringContaining(`RecruitmentService-prod ${name} `));
    }
  });

  it('shows at most 50 metrics, so that an account has three of them for free', () => {
    expect(metrics.length).toBeLessThanOrEqual(50);
  });
});
