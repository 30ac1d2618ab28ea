import { Duration } from 'aws-cdk-lib';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import type { AlarmThresholds } from '../../settings/stages.ts';
import type { AlarmSpec } from './alarms.ts';
import { Metrics } from './metrics.ts';
import type { Observed, ObservedEvents } from './observed.ts';

const MINUTES = 5;

/** The alarms of what happens to a status change after it was answered. */
export function eventAlarms(
  metrics: Metrics,
  events: ObservedEvents,
  functions: Observed['functions'],
  { eventAgeMinutes }: AlarmThresholds,
): AlarmSpec[] {
  const periods = eventAgeMinutes / MINUTES;
  return [
    {
      name: 'dead-letters',
      metric: metrics.ofQueue(events.deadLetterQueue).depth,
      threshold: 0,
      timing: { periods: 1, periodsOver: 1 },
      description:
        'A status change could not become an event and lies in the dead-letter queue. Look first ' +
        'at the message: which record, and what the bus said to it.',
      runbook: 'poisoned-record',
    },
    {
      name: 'event-age',
      metric: late(new Metrics(Duration.minutes(MINUTES)), events, functions),
      threshold: 0,
      // The newest period's metrics may be late: one of them may be good.
      timing: { periods: periods + 1, periodsOver: periods },
      description:
        `Status changes have not become events for ${eventAgeMinutes} minutes: the pipe fails, or ` +
        'takes nothing from the stream. Look first at the state of the pipe and the reason it gives.',
      runbook: 'poisoned-record',
    },
  ];
}

/**
 * 1 where the oldest record of the stream grows older, else 0. EventBridge Pipes has no metric of
 * that age (its user guide, "Logging and monitoring", November 2026), so it is told from this: the
 * pipe fails, and tries the same record again; or jobs change, and it takes nothing.
 */
function late(metrics: Metrics, { pipeName }: ObservedEvents, functions: Observed['functions']) {
  const { events, failures } = metrics.ofPipe(pipeName);
  const changes = jobStatuses.map((status: JobStatus, index): [string, typeof events] => [
    `change${index}`,
    metrics.ofRequests('status_changes', functions['update-job-status'], {
      status_changed_to: status,
    }),
  ]);
  const total = changes.map(([name]) => `FILL(${name}, 0)`).join(' + ');
  return metrics.expression(
    'events are late',
    `IF((${failures.expression}) > 0 OR ((${total}) > 0 AND FILL(events, 0) == 0), 1, 0)`,
    { ...failures.usingMetrics, ...Object.fromEntries(changes), events },
  );
}
