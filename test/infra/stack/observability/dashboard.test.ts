import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../../functions/domain/job.ts';
import { observed } from '../../../support/observed.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';

interface Widget {
  type: string;
  properties: { title: string; alarms?: string[]; metrics?: unknown[][] };
}

/** The widgets of the one dashboard, with the logical ids of what it refers to. */
function widgetsOf(template: Template): Widget[] {
  const [{ DashboardBody: body } = {}, ...others] = propertiesOf(
    template,
    'AWS::CloudWatch::Dashboard',
  );
  expect(others).toEqual([]);
  const [, parts] = (body as { 'Fn::Join': [string, (string | Record<string, unknown>)[]] })[
    'Fn::Join'
  ];
  const named = (part: Record<string, unknown>) => String([Object.values(part)[0]].flat()[0]);
  const text = parts.map((part) => (typeof part === 'string' ? part : named(part))).join('');
  return JSON.parse(text).widgets;
}

/** Each metric, as its namespace, name, dimensions' values and statistic. */
function metricsOf(widgets: Widget[]): string[] {
  return widgets.flatMap(({ properties: { metrics = [] } }) =>
    metrics.flatMap((metric) => {
      const { stat } = metric.at(-1) as { stat?: string };
      const [namespace, name, ...dimensions] = metric.slice(0, -1);
      const values = dimensions.filter((_, index) => index % 2 === 1);
      return namespace === undefined ? [] : [[namespace, name, ...values, stat].join(' ')];
    }),
  );
}

const { template } = observed();
const widgets = widgetsOf(template);
const metrics = metricsOf(widgets);
const shows = (pattern: RegExp) => metrics.some((metric) => pattern.test(metric));

describe('the dashboard', () => {
  it.each([
    ['requests', /^AWS\/ApiGateway Count .* Sum$/],
    ['refusals', /^AWS\/ApiGateway 4xx .* Sum$/],
    ['failures', /^AWS\/ApiGateway 5xx .* Sum$/],
    ['throttled requests', /^recruitment\/Observed throttled_requests Sum$/],
    ['p50 of the API', /^AWS\/ApiGateway Latency .* p50$/],
    ['p90 of the API', /^AWS\/ApiGateway Latency .* p90$/],
    ['p99 of the API', /^AWS\/ApiGateway Latency .* p99$/],
    ['read capacity', /^AWS\/DynamoDB ConsumedReadCapacityUnits Table\w+ Sum$/],
    ['write capacity', /^AWS\/DynamoDB ConsumedWriteCapacityUnits Table\w+ Sum$/],
    ['throttled reads', /^AWS\/DynamoDB ReadThrottleEvents Table\w+ Sum$/],
    ['throttled writes', /^AWS\/DynamoDB WriteThrottleEvents Table\w+ Sum$/],
    ['errors of the table', /^AWS\/DynamoDB SystemErrors (UpdateItem|GetItem) Table\w+ Sum$/],
    ['dead letters', /^AWS\/SQS ApproximateNumberOfMessagesVisible .* Maximum$/],
    ['events', /^AWS\/EventBridge\/Pipes EventCount pipe Sum$/],
    ['failed executions of the pipe', /^AWS\/EventBridge\/Pipes ExecutionFailed pipe Sum$/],
  ])('shows %s', (_, pattern) => {
    expect(metrics.filter((metric) => pattern.test(metric))).not.toEqual([]);
  });

  it.each([
    ['get-application', 'Read'],
    ['update-job-status', 'Update'],
  ] as const)(
    'shows of %s each outcome, percentiles, cold starts, errors, throttles',
    (operation, id) => {
      for (const outcome of ['ok', ...operations[operation].problems]) {
        expect(shows(new RegExp(`^recruitment requests ${id}\\w+ ${outcome} Sum$`))).toBe(true);
      }
      for (const percentile of [50, 90, 99]) {
        expect(shows(new RegExp(`^AWS/Lambda Duration ${id}\\w+ p${percentile}$`))).toBe(true);
      }
      expect(shows(new RegExp(`^recruitment cold_starts ${id}\\w+ Sum$`))).toBe(true);
      expect(shows(new RegExp(`^AWS/Lambda Errors ${id}\\w+ Sum$`))).toBe(true);
      expect(shows(new RegExp(`^AWS/Lambda Throttles ${id}\\w+ Sum$`))).toBe(true);
    },
  );

  it('shows changes to each status', () => {
    for (const status of jobStatuses) {
      expect(shows(new RegExp(`^recruitment status_changes Update\\w+ ${status} Sum$`))).toBe(true);
    }
  });

  it('shows every alarm', () => {
    const shown = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    const all = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(shown.toSorted()).toEqual(all.toSorted());
  });

  it('is in the stack, of both functions', () => {
    const stack = metricsOf(widgetsOf(templateOf({ stage: 'prod' })));
    expect(operationNames).toHaveLength(2);
    for (const name of ['GetApplicationFunction', 'UpdateJobStatusFunction']) {
      expect(stack).toContainEqual(expect.stringMatching(`^AWS/Lambda Errors ${name}`));
    }
  });
});
