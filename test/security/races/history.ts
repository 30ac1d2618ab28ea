import { isDeepStrictEqual } from 'node:util';
import type { JobStatus, TransitionPolicy } from '../../../functions/domain/job.ts';

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
  | { outcome: 'set' | 'stale'; version: number }
  | { outcome: 'refused'; status: JobStatus }
  /** The service is unavailable, and has changed nothing. */
  | { outcome: 'unchanged' }
  | { outcome: 'read'; status: JobStatus; version: number };

export interface JobOperation {
  input: JobInput;
  /** Undefined: the client does not know whether the operation was done. */
  output: JobOutput | undefined;
  /** When it began and ended, by one clock for all; what is not known never ended. */
  invoked: number;
  returned: number;
  /** The name under which its change is stored. */
  changeId: string;
}

/** What became of a job: its states, one for each version, and the version that each change has made. */
export interface Past {
  states: readonly JobState[];
  made: ReadonlyMap<unknown, number>;
}

/**
 * The operations that cannot have happened one at a time, each between its begin and its end (Herlihy and
 * Wing, 1990). The versions tell the order of the changes, so that no order has to be searched: each operation
 * takes the first version that explains what its client was told.
 */
export function impossible(
  history: readonly JobOperation[],
  { states, made }: Past,
  policy: TransitionPolicy,
): JobOperation[] {
  const placed: { returned: number; version: number }[] = [];
  const isImpossible = ({ input, output, invoked, returned, changeId }: JobOperation) => {
    const version = made.get(changeId);
    // It was never done, and nobody was told so.
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

/** What the contract says of an operation on a job, and the job after it. */
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
