import { Duration } from 'aws-cdk-lib';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { AlarmSpec } from './alarms.ts';
import { type Metrics, type MonitoredResources, metricsOf } from './metrics.ts';

const PERIOD_MINUTES = 5;

/** The alarms on what happens to a status change after it was answered. */
export function eventAlarms(
  resources: MonitoredResources,
  { eventAgeMinutes }: AlarmThresholds,
): AlarmSpec[] {
  const metrics = metricsOf(resources, Duration.minutes(PERIOD_MINUTES));
  const periods = eventAgeMinutes / PERIOD_MINUTES;
  return [
    {
      name: 'dead-letters',
      metric: metrics.deadLetters,
      threshold: 0,
      timing: { periods: 1, periodsOver: 1 },
      description:
        'A status change could not become an event and is in the dead-letter queue. Look first ' +
        'at the message: it says which record it was, and what the bus answered.',
      runbook: 'poisoned-record',
    },
    {
      name: 'event-age',
      metric: eventsAreLate(metrics),
      threshold: 0,
      // The metrics of the newest period may be late, so one period need not be over the threshold.
      timing: { periods: periods + 1, periodsOver: periods },
      description:
        `Status changes have not become events for ${eventAgeMinutes} minutes: the pipe fails, or ` +
        'reads nothing from the stream. Look first at the state of the pipe and its reason.',
      runbook: 'poisoned-record',
    },
  ];
}

/**
 * 1 if the oldest record of the stream is getting older, else 0. EventBridge Pipes has no metric of
 * that age (its user guide, "Logging and monitoring", November 2026), so it is derived: executions of
 * the pipe fail, so that it retries the same record; or jobs change and the pipe reads nothing.
 */
function eventsAreLate({ expression, pipeEvents, pipeFailures, statusChanges }: Metrics) {
  return expression(
    'events are late',
    `IF((${pipeFailures.expression}) > 0 OR (FILL(changes, 0) > 0 AND FILL(events, 0) == 0), 1, 0)`,
    { ...pipeFailures.usingMetrics, changes: statusChanges, events: pipeEvents },
  );
}
