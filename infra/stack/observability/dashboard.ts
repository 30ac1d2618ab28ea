import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IAlarm,
  type IMetric,
  type IWidget,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { OperationFunction } from '../function.ts';
import type { Metrics } from './metrics.ts';
import { failureCodes } from './request-metrics.ts';

const PERCENTILES = [50, 90, 99];
const FULL_WIDTH = 24;
const THIRD = 8;

interface ServiceDashboardProps {
  metrics: Metrics;
  functions: readonly OperationFunction[];
  slowMs: number;
  alarms: readonly IAlarm[];
}

/** Dashboards are global to an account, so the name needs the region. */
export const dashboardName = (scope: Construct) => `${Stack.of(scope).stackName}-${Aws.REGION}`;

export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { alarms, functions, slowMs, metrics } = props;
    const { clientErrors, throttled, serverErrors } = metrics;
    new Dashboard(this, 'Dashboard', {
      dashboardName: dashboardName(this),
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.AUTO,
      widgets: [
        [new AlarmStatusWidget({ alarms: [...alarms], width: FULL_WIDTH, title: 'Alarms' })],
        [
          graph('Requests, and slow responses', [metrics.requests, metrics.slowResponses]),
          graph('4xx, 429 and 5xx', [clientErrors, throttled, serverErrors]),
          graph('Latency of the API, ms', PERCENTILES.map(metrics.latency), {
            leftAnnotations: [{ value: slowMs, label: 'slow' }],
          }),
        ],
        ...functions.map((each) => functionRow(each.operation, metrics.ofFunction(each))),
        [
          graph('Table: consumed capacity', [metrics.readUnits, metrics.writeUnits]),
          graph('Table: throttles and errors', [
            metrics.readThrottles,
            metrics.writeThrottles,
            metrics.tableErrors,
          ]),
          graph('Access tokens', [metrics.rejectedTokens, metrics.acceptedTokens]),
        ],
        [
          graph('Status changes and their events', [
            metrics.statusChanges,
            metrics.publishedEvents,
          ]),
          graph('Pipe: failed executions', [metrics.pipeFailures]),
          graph('Dead letters', [metrics.deadLetters]),
        ],
      ],
    });
  }
}

function functionRow(name: string, its: ReturnType<Metrics['ofFunction']>): IWidget[] {
  return [
    graph(`${name}: requests, failures`, [its.invocations, ...failureCodes.map(its.failures)]),
    graph(`${name}: duration, ms`, PERCENTILES.map(its.duration)),
    graph(`${name}: cold starts, errors, throttles`, [its.coldStarts, its.errors, its.throttles]),
  ];
}

const graph = (title: string, left: IMetric[], others: GraphWidgetProps = {}) =>
  new GraphWidget({ title, left, width: THIRD, leftYAxis: { min: 0 }, ...others });
