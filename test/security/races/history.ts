import { isDeepStrictEqual } from 'node:util';
import type { JobStatus, TransitionPolicy } from '../../../functions/domain/job.ts';

/** The state of a job: its status and version. */
export interface JobState {
  status: JobStatus;
  version: number;
}

/** A client's request for a job. `versions` has the versions in `If-Match`. */
export type JobInput =
  | { read: true }
  | { read: false; status: JobStatus; versions: readonly number[] | undefined };

/** The response that a client gets. `version` and `status` are the job's at that time. */
export type JobOutput =
  | { outcome: 'set' | 'stale'; version: number }
  | { outcome: 'refused'; status: JobStatus }
  /** The service is unavailable, and has changed nothing. */
  | { outcome: 'unchanged' }
  | { outcome: 'read'; status: JobStatus; version: number };

export interface JobOperation {
  input: JobInput;
  /** The response; undefined if the client does not know whether the operation was applied. */
  output: JobOutput | undefined;
  /** The beginning and the end, on one clock for all clients. An operation with an unknown outcome never ends. */
  invoked: number;
  returned: number;
  /** The id under which the operation's status change is stored. */
  changeId: string;
}

/** The history of a job: its state at each version, and the version that each status change has created. */
interface Past {
  states: readonly JobState[];
  made: ReadonlyMap<unknown, number>;
}

/**
 * Returns the operations that violate linearizability (Herlihy and Wing, 1990): they cannot have happened one at a time,
 * each between its beginning and its end. The versions give the order of the status changes, so the check searches
 * no orders. Each operation takes the first version that explains its response.
 */
export function impossible(
  history: readonly JobOperation[],
  { states, made }: Past,
  policy: TransitionPolicy,
): JobOperation[] {
  const placed: { returned: number; version: number }[] = [];
  const isImpossible = ({ input, output, invoked, returned, changeId }: JobOperation) => {
    const version = made.get(changeId);
    // The operation was never applied, and its client does not know.
    if (version === undefined && output === undefined) return false;
    const ended = placed.filter((other) => other.returned < invoked);
    const from = Math.max(1, ...ended.map((other) => other.version));
    const before = states.find((state) => {
      if (state.version < from) return false;
      if (output?.outcome === 'unchanged') return version === undefined;
      const [expected, after] = expectedOf(state, input, policy);
      const left = states.find((other) => other.version === (version ?? state.version));
      const isTold = output === undefined || isDeepStrictEqual(output, expected);
      return isTold && isDeepStrictEqual(after, left) && (version === undefined || after !== state);
    });
    if (before !== undefined) placed.push({ returned, version: version ?? before.version });
    return before === undefined;
  };
  return history.toSorted((one, other) => one.invoked - other.invoked).filter(isImpossible);
}

/** Returns the response that the contract promises for an operation on a job, and the job afterwards. */
function expectedOf(
  state: JobState,
  input: JobInput,
  policy: TransitionPolicy,
): [JobOutput, JobState] {
  const { status, version } = state;
  if (input.read) return [{ outcome: 'read', status, version }, state];
  if (input.versions !== undefined && !input.versions.includes(version)) {
    return [{ outcome: 'stale', version }, state];
  }
  if (input.status === status) return [{ outcome: 'set', version }, state];
  if (!policy(status).includes(input.status)) return [{ outcome: 'refused', status }, state];
  const after = { status: input.status, version: version + 1 };
  return [{ outcome: 'set', version: after.version }, after];
}
