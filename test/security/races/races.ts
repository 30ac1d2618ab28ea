import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transitionPolicies } from '../../../functions/domain/job.ts';
import { nowInSeconds, signingKey } from '../../support/issuer.ts';
import { jobItem } from '../../support/items.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';
import { readStream, type StreamRecord } from '../../support/stream.ts';
import { createTestTable } from '../../support/table.ts';
import { useControlledTime } from '../../support/time.ts';
import { mixedSeed, scaled, seed } from '../random-cases.ts';
import { isLinearizable } from './linearizability.ts';
import { type JobOperation, type Raced, race } from './racing-clients.ts';
import { statusRegister } from './status-register.ts';

const HISTORIES = scaled(100);
const JOBS_AT_ONCE = 6;
const CLIENTS = 8;
const EACH = 25;
const DAY_S = 86_400;

const policies = Object.keys(transitionPolicies);
type PolicyName = keyof typeof transitionPolicies;

/** The suite of races under a policy; each policy has a file, so that they run side by side. */
export function describeRaces(policy: PolicyName): void {
  describe(`clients who race, with faults (policy ${policy})`, () => {
    const service = useProxiedService({ TRANSITION_POLICY: policy });
    const times = useControlledTime(service);
    const histories = new Map<string, JobOperation[]>();
    const streams = new Map<string, StreamRecord[]>();
    let isOver = false;
    beforeAll(async () => {
      // Signatures of RSA are verified faster. The keys are fetched when the functions start.
      const key = await signingKey('RS256');
      service.issuer.published = [key.jwk];
      // The soak takes longer than a token usually lives.
      const token = await service.issuer.mint({ iat: 0, exp: nowInSeconds() + DAY_S }, {}, key);
      const jobs = Array.from({ length: HISTORIES }, (_, at) => `${policy}-${at}`);
      const worker = async () => {
        // After a time-out, nothing may go on beside the next test files.
        for (let job = jobs.pop(); job !== undefined && !isOver; job = jobs.pop()) {
          const history = mixedSeed(seed(), policies.indexOf(policy), jobs.length);
          const raced = await start({ ...service, times }, policy);
          await raced.table.put(jobItem({ job }));
          const options = { clients: CLIENTS, each: EACH, token, history };
          histories.set(job, await race(raced, job, options));
          await service.proxy.settled(raced.table.name);
          streams.set(job, await readStream(raced.table.name));
          service.proxy.requests = [];
        }
      };
      await Promise.all(Array.from({ length: JOBS_AT_ONCE }, worker));
    });
    afterAll(() => {
      isOver = true;
      const counts = JSON.stringify(countsOf([...histories.values()]));
      process.stderr.write(`races, policy ${policy}, seed ${seed()}: ${counts}\n`);
    });

    it('were as many as they should be, with some of each answer', () => {
      const { histories: count, operations, ...answers } = countsOf([...histories.values()]);
      expect(count).toBe(HISTORIES);
      expect(operations).toBe(HISTORIES * CLIENTS * EACH);
      const missing = Object.keys(answers).filter((name) => answers[name] === 0);
      expect(missing).toEqual(policy === 'any' ? ['refused'] : []);
    });

    it('see a job change as if one at a time', () => {
      const impossible = [...histories].filter(([, history]) => !isPossible(history, policy));
      expect(impossible.map(([job]) => job)).toEqual([]);
    });

    it('leave one record in the stream for each version, and none for what was refused', () => {
      const wrong = [...histories].flatMap(([job, history]) =>
        contradictions(history, streams.get(job) ?? []),
      );
      expect(wrong).toEqual([]);
    });
  });
}

/**
 * Starts the functions for one history, on a table of its own. The SDK makes no more retries after some
 * dozens that were in vain, and a write to the embedded database takes longer the longer the table's stream is.
 */
async function start(service: Omit<Raced, 'updateHurriedly'>, policy: PolicyName): Promise<Raced> {
  const table = await createTestTable();
  await table.enableStream();
  const own = { ...service, table };
  // By clocks that are hours apart, keys are always too old: they are fetched, without discovery, all the time.
  const variables = { TRANSITION_POLICY: policy, JWKS_URI: `${service.issuer.url}/jwks` };
  const functions = await loadFunctions(own, variables);
  const hurried = await loadFunctions(own, { ...variables, TIMEOUT_S: '0.73' });
  return { ...own, ...functions, updateHurriedly: hurried.updateJobStatus };
}

function isPossible(history: JobOperation[], policy: PolicyName): boolean {
  const initial = { status: 'draft', version: 1 } as const;
  return isLinearizable(history, statusRegister(initial, transitionPolicies[policy], history));
}

/** Contradictions between a job's records, or between them and what its clients were told. */
function contradictions(history: JobOperation[], [created, ...changes]: StreamRecord[]): string[] {
  const found: string[] = [];
  if (created?.event !== 'INSERT') found.push('The first record is not the creation.');
  const byChange = new Map<unknown, StreamRecord>();
  let last = created?.after;
  for (const record of changes) {
    const { before, after } = record;
    const { version, last_change_id: id, previous_status, fence } = after ?? {};
    if (!isDeepStrictEqual(before, last)) found.push(`${id} has another past.`);
    if (version !== Number(last?.version) + 1) found.push(`${id} is not the next version.`);
    if (previous_status !== last?.status) found.push(`${id} has another previous status.`);
    if (Number(fence) <= Number(last?.fence ?? 0)) found.push(`${id} has an older fence.`);
    if (byChange.has(id)) found.push(`${id} is done twice.`);
    byChange.set(id, record);
    last = after;
  }
  return [...found, ...history.flatMap((operation) => contradictionOf(operation, byChange))];
}

/** What an operation's answer and the stream say differently. */
function contradictionOf(
  { input, output, changeId }: JobOperation,
  byChange: ReadonlyMap<unknown, StreamRecord>,
): string[] {
  const written = byChange.get(changeId)?.after;
  if (output === undefined || input.read) return [];
  if (output.answer !== 'set') return written ? [`${changeId} was refused and done.`] : [];
  if (written) return written.version === output.version ? [] : [`${changeId} is another version.`];
  const found = [...byChange.values()].find(({ after }) => after?.version === output.version);
  const status = found ? found.after?.status : 'draft';
  return status === input.status ? [] : [`${changeId} was not done.`];
}

function countsOf(histories: JobOperation[][]): Record<string, number> {
  const operations = histories.flat();
  const answered = (answer: string) =>
    operations.filter(({ output }) => output?.answer === answer).length;
  return {
    histories: histories.length,
    operations: operations.length,
    set: answered('set'),
    stale: answered('stale'),
    refused: answered('refused'),
    unchanged: answered('unchanged'),
    read: answered('read'),
    'of unknown outcome': operations.filter(({ output }) => output === undefined).length,
  };
}
