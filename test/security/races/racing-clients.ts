import { setTimeout } from 'node:timers/promises';
import type { JobStatus } from '../../../functions/domain/job.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import type { Result } from '../../support/invoke.ts';
import type { FaultyProxy } from '../../support/proxy.ts';
import type { Service } from '../../support/service.ts';
import type { ControlledTimes } from '../../support/time.ts';
import { byClock } from '../../support/time.ts';
import type { JobInput, JobOperation, JobOutput } from './history.ts';
import type { Choice, Plan } from './racing-choices.ts';

/** The functions and the database that the clients use. */
export interface Raced extends Service {
  proxy: FaultyProxy;
  times: ControlledTimes;
  /** Sets the status with a function that is about to run out of time. */
  updateHurriedly: Service['updateJobStatus'];
}

/** Runs the clients of a job in parallel. Each client runs its operations one after the other. */
export async function race(
  service: Raced,
  job: string,
  token: string,
  plans: readonly Plan[],
): Promise<JobOperation[]> {
  const done: JobOperation[] = [];
  const follow = async (name: number, choices: readonly Choice[]) => {
    const own = { seen: 1, changeId: '' };
    for (const [at, choice] of choices.entries()) {
      own.changeId = `${job}:${name}:${at}`;
      done.push(await operate(service, { job, token, choice, own }));
    }
  };
  await Promise.all(
    plans.map(({ aheadMs, choices }, name) => byClock(aheadMs, () => follow(name, choices))),
  );
  return done;
}

interface Turn {
  job: string;
  token: string;
  choice: Choice;
  /** The last version of the job that the client has seen, and the name of the client's turn. */
  own: { seen: number; changeId: string };
}

/** A clock for all clients. It shows only the order of events. */
let clock = 0;

async function operate(service: Raced, turn: Turn): Promise<JobOperation> {
  const { own, choice } = turn;
  const input = inputOf(turn);
  clock += 1;
  const invoked = clock;
  const output = await (input.read ? read(service, turn.job) : change(service, turn, input));
  clock += 1;
  if (output && 'version' in output) own.seen = output.version;
  // A client that does not know the outcome waits, and then goes on with another operation.
  if (output === undefined) await setTimeout(choice.patienceMs);
  const returned = output === undefined ? Number.POSITIVE_INFINITY : clock;
  return { input, output, invoked, returned, changeId: own.changeId };
}

function inputOf({ choice, own: { seen } }: Turn): JobInput {
  if (choice.isRead) return { read: true };
  return { read: false, status: choice.status, versions: choice.versionsBy?.(seen) };
}

async function read({ table }: Raced, job: string): Promise<JobOutput> {
  const item = await table.read(jobKey('default', job));
  return { outcome: 'read', status: item?.status as JobStatus, version: Number(item?.version) };
}

async function change(
  { proxy, times, log, updateJobStatus, updateHurriedly }: Raced,
  { job, token, choice, own: { changeId } }: Turn,
  { status, versions }: Extract<JobInput, { read: false }>,
): Promise<JobOutput | undefined> {
  proxy.faultsFor.set(changeId, choice.faults);
  const request = {
    token,
    pathParameters: { id: job },
    headers: { 'if-match': versions?.map((version) => `"${version}"`).join(', ') },
    body: { status },
    invocationId: changeId,
  };
  const update = choice.isHurried ? updateHurriedly : updateJobStatus;
  const [response] = await times.run(changeId, () => update(request));
  proxy.faultsFor.delete(changeId);
  if (response.status === 500) {
    const line = log.lines.find(({ invocation_id: id }) => id === changeId);
    throw new Error(`${response.text}, because of ${JSON.stringify(line?.failure)}`);
  }
  return outputOf(response);
}

function outputOf({ status, headers, body, text }: Result): JobOutput | undefined {
  const version = Number(headers.ETag?.slice(1, -1));
  if (status === 200) return { outcome: 'set', version };
  if (status === 412) return { outcome: 'stale', version };
  if (status === 409) return { outcome: 'refused', status: body.current_status as JobStatus };
  if (status === 503 && headers['Retry-After'] === '1') {
    return body.outcome_unknown ? undefined : { outcome: 'unchanged' };
  }
  throw new Error(`A response that no client expects: ${status} ${text}`);
}
