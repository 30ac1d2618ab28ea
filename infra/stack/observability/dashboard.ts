import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { operations } from '../../../functions/contract/operations.ts';
import type { OperationFunction } from '../function.ts';
import { failureCodes } from '../request-metrics.ts';
import type { Metrics } from './metrics.ts';

const PERCENTILES = [50, 90, 99];
const FULL_WIDTH = 24;
const THIRD = 8;

interface ServiceDashboardProps {
  metrics: Metrics;
  functions: readonly OperationFunction[];
  /** The latency above which an alarm goes off, in milliseconds. */
  latencyP99Ms: number;
  alarms: readonly Alarm[];
}

/** The service on one page, from what clients see down to the database and the events. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { alarms, functions, metrics } = props;
    new Dashboard(this, 'Dashboard', {
      // Dashboards are global to an account.
      dashboardName: `${Stack.of(this).stackName}-${Aws.REGION}`,
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.AUTO,
      widgets: [
        [new AlarmStatusWidget({ alarms: [...alarms], width: FULL_WIDTH, title: 'Alarms' })],
        apiRow(props),
        ...functions.map((each) => functionRow(metrics, each)),
        tableRow(metrics),
        eventRow(metrics),
      ],
    });
  }
}

function apiRow({ metrics, latencyP99Ms }: ServiceDashboardProps): IWidget[] {
  const { requests, clientErrors, serverErrors, throttled, latency } = metrics.ofApi();
  return [
    graph('Requests', [requests]),
    graph('4xx, 429 and 5xx', [clientErrors, throttled, serverErrors]),
    new GraphWidget({
      title: 'Latency of the API, ms',
      left: PERCENTILES.map(latency),
      leftAnnotations: [{ value: latencyP99Ms, label: 'alarm on p99' }],
      leftYAxis: { min: 0 },
      width: THIRD,
    }),
  ];
}

/** How often a function was called and failed, how long it took, and how it started. */
function functionRow(metrics: Metrics, each: OperationFunction): IWidget[] {
  const { operation } = each;
  const { operationId } = operations[operation];
  const { invocations, errors, throttles, duration } = metrics.ofFunction(each);
  const failures = failureCodes.map((outcome) =>
    metrics.ofRequests('failures', { operation: operationId, outcome }, outcome),
  );
  const coldStarts = metrics.ofRequests('cold_starts', { operation: operationId }, 'cold starts');
  return [
    graph(`${operation}: requests, failures`, [invocations, ...failures]),
    graph(`${operation}: duration, ms`, PERCENTILES.map(duration)),
    graph(`${operation}: cold starts, errors, throttles`, [coldStarts, errors, throttles]),
  ];
}

function tableRow(metrics: Metrics): IWidget[] {
  const { readUnits, writeUnits, throttles, systemErrors } = metrics.ofTable();
  return [
    graph('Table: consumed capacity', [readUnits, writeUnits]),
    graph('Table: throttles and errors', [throttles, systemErrors]),
    graph('Status changes', [metrics.ofStatusChanges()]),
  ];
}

function eventRow(metrics: Metrics): IWidget[] {
  const { events, failures } = metrics.ofPipe();
  return [
    graph('Pipe: status changes read from the stream', [events]),
    graph('Pipe: failed executions', [failures]),
    graph('Dead letters', [metrics.ofDeadLetters()]),
  ];
}

const graph = (title: string, left: IMetric[]) =>
  new GraphWidget({ title, left, width: THIRD, leftYAxis: { min: 0 } });
