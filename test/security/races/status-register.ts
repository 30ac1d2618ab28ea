import type { JobStatus, TransitionPolicy } from '../../../functions/domain/job.ts';
import type { Model, Operation } from './linearizability.ts';

/** A job, as far as its status goes. */
export interface JobState {
  status: JobStatus;
  version: number;
}

/** What a client asks of a job; `versions` are those of `If-Match`. */
export type JobInput =
  | { read: true }
  | { read: false; status: JobStatus; versions: readonly number[] | undefined };

/** What a client is told; `version` and `status` are those of the job then. */
export type JobOutput =
  | { answer: 'set' | 'stale'; version: number }
  | { answer: 'refused'; status: JobStatus }
  /** The service is unavailable, and has changed nothing. */
  | { answer: 'unchanged' }
  | { answer: 'read'; status: JobStatus; version: number };

/**
 * A job as a register with compare-and-set: what the contract says of it, one request at a time. A
 * state that contradicts an answer of the history is no state: no order of the operations leads
 * through it, and the search need not go there.
 */
export function statusRegister(
  initial: JobState,
  policy: TransitionPolicy,
  history: readonly Operation<JobInput, JobOutput>[],
): Model<JobState, JobInput, JobOutput> {
  const known = knownStatuses(history);
  const isPossible = ({ version, status }: JobState) =>
    [...(known.get(version) ?? [])].every((told) => told === status);
  return {
    initial,
    nameOf: (value) => JSON.stringify(value),
    next(state, input, output) {
      if (output?.answer === 'unchanged') return state;
      const [expected, after] = expectedOf(state, input, policy);
      if (!isPossible(after)) return undefined;
      return output === undefined || JSON.stringify(output) === JSON.stringify(expected)
        ? after
        : undefined;
    },
  };
}

/** The statuses that answers say a version has: one, if they are right. */
function knownStatuses(
  history: readonly Operation<JobInput, JobOutput>[],
): Map<number, Set<JobStatus>> {
  const known = new Map<number, Set<JobStatus>>();
  const learn = (version: number, status: JobStatus) =>
    known.set(version, (known.get(version) ?? new Set()).add(status));
  for (const { input, output } of history) {
    if (output?.answer === 'read') learn(output.version, output.status);
    if (output?.answer === 'set' && !input.read) learn(output.version, input.status);
  }
  return known;
}

function expectedOf(
  state: JobState,
  input: JobInput,
  policy: TransitionPolicy,
): [JobOutput, JobState] {
  const { status, version } = state;
  if (input.read) return [{ answer: 'read', status, version }, state];
  if (input.versions !== undefined && !input.versions.includes(version)) {
    return [{ answer: 'stale', version }, state];
  }
  if (input.status === status) return [{ answer: 'set', version }, state];
  if (!policy(status).includes(input.status)) return [{ answer: 'refused', status }, state];
  const after = { status: input.status, version: version + 1 };
  return [{ answer: 'set', version: after.version }, after];
}
