import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { Metrics } from './metrics.ts';
import type { Observed, ObservedEvents } from './observed.ts';

const PERCENTILES = [50, 90, 99];
const FULL_WIDTH = 24;
const THIRD = 8;

interface ServiceDashboardProps {
  metrics: Metrics;
  observed: Observed;
  thresholds: AlarmThresholds;
  throttledRequests: MetricFilter;
  alarms: readonly Alarm[];
}

/** One page of how the service does, from what clients see down to the database and the events. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { alarms, observed, metrics } = props;
    new Dashboard(this, 'Dashboard', {
      dashboardName: Stack.of(this).stackName,
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.AUTO,
      widgets: [
        [new AlarmStatusWidget({ alarms: [...alarms], width: FULL_WIDTH, title: 'Alarms' })],
        apiRow(props),
        ...functionRows(props),
        tableRow(metrics, observed),
        eventRow(metrics, observed.events),
      ],
    });
  }
}

function apiRow({ metrics, observed, thresholds, throttledRequests }: ServiceDashboardProps) {
  const { requests, clientErrors, serverErrors, latency } = metrics.ofApi(observed.api.stage);
  return [
    graph('Requests', [requests]),
    graph('Refusals and failures', [
      clientErrors,
      metrics.throttledRequests(throttledRequests),
      serverErrors,
    ]),
    new GraphWidget({
      title: 'Latency of the API, ms',
      left: PERCENTILES.map(latency),
      leftAnnotations: [{ value: thresholds.latencyP99Ms, label: 'p99 alarms' }],
      leftYAxis: { min: 0 },
      width: THIRD,
    }),
  ];
}

/** Of each function: what it answered, how long it took, how it started. */
function functionRows({ metrics, observed }: ServiceDashboardProps): IWidget[][] {
  return operationNames.map((operation) => {
    const code = observed.functions[operation];
    const { errors, throttles, duration } = metrics.ofFunction(code);
    const outcomes = ['ok', ...operations[operation].problems].map((outcome) =>
      metrics.ofRequests('requests', code, { outcome }, { label: outcome }),
    );
    const coldStarts = metrics.ofRequests('cold_starts', code, {}, { label: 'cold starts' });
    return [
      graph(`${operation}: requests by outcome`, outcomes, true),
      graph(`${operation}: duration, ms`, PERCENTILES.map(duration)),
      graph(`${operation}: cold starts, errors, throttles`, [coldStarts, errors, throttles]),
    ];
  });
}

function tableRow(metrics: Metrics, { table, functions }: Observed): IWidget[] {
  const { readUnits, writeUnits, throttles, systemErrors } = metrics.ofTable(table);
  const changes = jobStatuses.map((status) =>
    metrics.ofRequests(
      'status_changes',
      functions['update-job-status'],
      { status_changed_to: status },
      { label: status },
    ),
  );
  return [
    graph('Table: consumed capacity', [readUnits, writeUnits]),
    graph('Table: throttles and errors', [throttles, systemErrors]),
    graph('Jobs by the status they changed to', changes, true),
  ];
}

function eventRow(metrics: Metrics, { pipeName, deadLetterQueue }: ObservedEvents): IWidget[] {
  const { events, failures } = metrics.ofPipe(pipeName);
  return [
    graph('Pipe: status changes taken from the stream', [events]),
    graph('Pipe: failed executions, while which the stream ages', [failures]),
    graph('Dead letters', [metrics.ofQueue(deadLetterQueue).depth]),
  ];
}

const graph = (title: string, left: IMetric[], stacked = false) =>
  new GraphWidget({ title, left, stacked, width: THIRD, leftYAxis: { min: 0 } });
