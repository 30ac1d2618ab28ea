import { setTimeout } from 'node:timers/promises';
import { type JobStatus, jobStatuses } from '../../functions/domain/job.ts';
import { jobKey } from '../../functions/store/keys.ts';
import type { randomNumbers } from './campaign.ts';
import { byClock } from './clocks.ts';
import { dynamoError, type Fault } from './faults.ts';
import type { Answer } from './invoke.ts';
import type { Operation } from './linearizability.ts';
import type { FaultyProxy } from './proxy.ts';
import type { Service } from './service.ts';
import type { JobInput, JobOutput } from './status-register.ts';

type Random = ReturnType<typeof randomNumbers>;
type Proxied = Service & { proxy: FaultyProxy };

/** An operation on a job, with the name under which its change is stored. */
export interface JobOperation extends Operation<JobInput, JobOutput> {
  changeId: string;
}

/** More than the clocks of two machines of a cloud ever differ. */
const CLOCK_DIFFERENCE_MS = 2000;
const FAILED = {
  status: 500,
  body: '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}',
};

/** Faults by how often they come; the rest of the time nothing is wrong. */
const faultRates: [rate: number, (random: Random) => Fault][] = [
  [0.04, () => 'answer lost'],
  [0.03, () => 'reset'],
  [0.04, (random) => ({ lateAfter: () => setTimeout(random.below(300)) })],
  [0.03, (random) => ({ delayedBy: random.below(40) })],
  [0.02, () => ({ doneBut: FAILED })],
  [0.01, () => dynamoError(500, 'InternalServerError')],
  [0.005, () => dynamoError(400, 'ThrottlingException')],
  [0.01, () => 'truncated'],
  [0.01, () => 'garbled'],
  [0.01, () => 'cut off'],
  [0.002, () => ({ delayedBy: 1100 })],
  [0.002, () => 'hang'],
];

function faultOf(random: Random): Fault {
  let point = random.next();
  for (const [rate, fault] of faultRates) {
    if (point < rate) return fault(random);
    point -= rate;
  }
  return 'none';
}

interface Race {
  clients: number;
  /** The number of operations of each client. */
  each: number;
  token: string;
  random: Random;
}

/** What the clients of a job do, all at once: each as many operations, one after the other. */
export async function race(
  service: Proxied,
  job: string,
  { clients, each, token, random }: Race,
): Promise<JobOperation[]> {
  const done: JobOperation[] = [];
  const clientOf = async (name: number) => {
    const own = { seen: 1, changeId: '' };
    for (let at = 0; at < each; at += 1) {
      own.changeId = `${job}:${name}:${at}`;
      done.push(await operate(service, { job, token, random, own }));
    }
  };
  const aheadMs = () => random.below(2 * CLOCK_DIFFERENCE_MS) - CLOCK_DIFFERENCE_MS;
  await Promise.all(
    Array.from({ length: clients }, (_, name) => byClock(aheadMs(), () => clientOf(name))),
  );
  return done;
}

interface Turn {
  job: string;
  token: string;
  random: Random;
  /** What the client has seen of the job: its last known version; and the name of its turn. */
  own: { seen: number; changeId: string };
}

/** One clock for all clients: it tells only what came first. */
let clock = 0;

async function operate(service: Proxied, turn: Turn): Promise<JobOperation> {
  const { own, random } = turn;
  const input = inputOf(turn);
  clock += 1;
  const invoked = clock;
  const output = await (input.read ? read(service, turn.job) : change(service, turn, input));
  clock += 1;
  if (output && 'version' in output) own.seen = output.version;
  // A client that does not know tries something else after a while.
  if (output === undefined) await setTimeout(random.below(5));
  const returned = output === undefined ? Number.POSITIVE_INFINITY : clock;
  return { input, output, invoked, returned, changeId: own.changeId };
}

function inputOf({ random, own: { seen } }: Turn): JobInput {
  if (random.next() < 0.15) return { read: true };
  const status = random.pick(jobStatuses);
  const point = random.next();
  if (point < 0.5) return { read: false, status, versions: undefined };
  if (point < 0.85) return { read: false, status, versions: [seen] };
  if (point < 0.95) return { read: false, status, versions: [seen, seen + 1] };
  return { read: false, status, versions: [seen - 1] };
}

async function read({ table }: Proxied, job: string): Promise<JobOutput> {
  const item = await table.read(jobKey('default', job));
  return { answer: 'read', status: item?.status as JobStatus, version: Number(item?.version) };
}

async function change(
  { proxy, updateJobStatus }: Proxied,
  { job, token, random, own: { changeId } }: Turn,
  { status, versions }: Extract<JobInput, { read: false }>,
): Promise<JobOutput | undefined> {
  proxy.faultsFor.set(changeId, [...Array.from({ length: 8 }, () => faultOf(random)), 'none']);
  const answer = await updateJobStatus({
    token,
    pathParameters: { id: job },
    headers: { 'if-match': versions?.map((version) => `"${version}"`).join(', ') },
    body: { status },
    invocationId: changeId,
    // Some functions run out of time while their update is under way.
    remainingMs: random.next() < 0.02 ? 705 + random.below(60) : 6000,
  });
  proxy.faultsFor.delete(changeId);
  return outputOf(answer);
}

function outputOf({ status, headers, body, text }: Answer): JobOutput | undefined {
  const version = Number(headers.ETag?.slice(1, -1));
  if (status === 200) return { answer: 'set', version };
  if (status === 412) return { answer: 'stale', version };
  if (status === 409) return { answer: 'refused', status: body.current_status as JobStatus };
  if (status === 503 && headers['Retry-After'] === '1') return undefined;
  throw new Error(`An answer that no client expects: ${status} ${text}`);
}
