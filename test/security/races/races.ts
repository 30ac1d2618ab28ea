import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JobStatus, transitionPolicies } from '../../../functions/domain/job.ts';
import { systemTimer, type Timer } from '../../../functions/runtime/moment.ts';
import { nowInSeconds, signingKey } from '../../support/issuer.ts';
import { jobItem } from '../../support/items.ts';
import { loadFunctions, startProxiedService } from '../../support/service.ts';
import { readStream, type StreamRecord } from '../../support/stream.ts';
import { createTestTable } from '../../support/table.ts';
import { controlledTimes } from '../../support/time.ts';
import { scaled, seed } from '../random-cases.ts';
import { impossible, type JobOperation, type JobState } from './history.ts';
import { plansOf } from './racing-choices.ts';
import { type Raced, race } from './racing-clients.ts';

const HISTORIES = scaled(100);
const JOBS_AT_ONCE = 6;
const CLIENTS = 8;
const EACH = 25;
const DAY_S = 86_400;

const policies = Object.keys(transitionPolicies);
type PolicyName = keyof typeof transitionPolicies;

/** Defines the suite of races under a policy. Each policy has its own file, so that the suites run in parallel. */
export function describeRaces(policy: PolicyName): void {
  describe(`racing clients, with faults (${policy} policy)`, async () => {
    const times = controlledTimes();
    const service = await startProxiedService({ TRANSITION_POLICY: policy }, times.options);
    service.proxy.onEndless = times.onEndless;
    const histories = new Map<string, JobOperation[]>();
    const streams = new Map<string, StreamRecord[]>();
    let isOver = false;
    beforeAll(async () => {
      // RSA signatures are verified faster. The functions fetch the keys when they start.
      const key = await signingKey('RS256');
      service.issuer.published = [key.jwk];
      // The soak takes longer than the usual lifetime of a token.
      const token = await service.issuer.mint({ iat: 0, exp: nowInSeconds() + DAY_S }, {}, key);
      const jobs = Array.from({ length: HISTORIES }, (_, at) => `${policy}-${at}`);
      const worker = async () => {
        // After a timeout, no work may continue during the next test files.
        for (let job = jobs.pop(); job !== undefined && !isOver; job = jobs.pop()) {
          const plans = plansOf(
            CLIENTS,
            EACH,
            seed() + 1000 * policies.indexOf(policy) + jobs.length,
          );
          const raced = await start({ ...service, times }, policy);
          await raced.table.put(jobItem({ job }));
          histories.set(job, await race(raced, job, token, plans));
          await service.proxy.settled(raced.table.name);
          streams.set(job, await readStream(raced.table.name));
          service.proxy.requests = [];
        }
      };
      await Promise.all(Array.from({ length: JOBS_AT_ONCE }, worker));
    });
    afterAll(() => {
      isOver = true;
    });

    it('complete all planned operations, with every outcome among them', () => {
      const operations = [...histories.values()].flat();
      expect(operations).toHaveLength(HISTORIES * CLIENTS * EACH);
      const outcomes = new Set(operations.map(({ output }) => output?.outcome));
      const wanted = ['set', 'stale', 'unchanged', 'read', undefined];
      expect(outcomes).toEqual(new Set([...wanted, ...(policy === 'any' ? [] : ['refused'])]));
    });

    it('see each job change as if operations ran one at a time', () => {
      const found = [...histories].flatMap(([job, history]) => {
        const records = streams.get(job) ?? [];
        const states = records.map(({ after }) => stateOf(after));
        const made = new Map(
          records.map(({ after }) => [after?.last_change_id, Number(after?.version)]),
        );
        return impossible(history, { states, made }, transitionPolicies[policy]);
      });
      expect(found).toEqual([]);
    });

    it('leave one stream record for each version, and none for a rejected operation', () => {
      expect([...streams.values()].flatMap(contradictions)).toEqual([]);
    });
  });
}

/**
 * Starts the functions for one history, with its own table. One start is not enough for all histories: the SDK stops
 * retrying after a few dozen failed retries, and writes to the embedded database slow down as the table's stream grows.
 */
async function start(service: Omit<Raced, 'updateHurriedly'>, policy: PolicyName): Promise<Raced> {
  const table = await createTestTable();
  await table.enableStream();
  const own = { ...service, table };
  // With clocks that are hours apart, keys are always too old and are fetched again and again. Discovery is turned off.
  const variables = { TRANSITION_POLICY: policy, JWKS_URI: `${service.issuer.url}/jwks` };
  const functions = await loadFunctions(own, variables);
  const { timer = systemTimer } = own.options;
  // The time of a hurried invocation is over as soon as the event loop runs timers.
  const hurriedTimer: Timer = (name, ms, end) =>
    name === 'invocation' ? systemTimer(name, 0, end) : timer(name, ms, end);
  const options = { ...own.options, timer: hurriedTimer };
  const hurried = await loadFunctions({ ...own, options }, variables);
  return { ...own, ...functions, updateHurriedly: hurried.updateJobStatus };
}

const stateOf = (item: StreamRecord['after']): JobState => ({
  status: item?.status as JobStatus,
  version: Number(item?.version),
});

/** Returns the contradictions between the stream records of a job. */
function contradictions([created, ...changes]: StreamRecord[]): string[] {
  const found: string[] = [];
  if (created?.event !== 'INSERT') found.push('The first record is not the creation.');
  const ids = new Set<unknown>();
  let last = created?.after;
  for (const { before, after } of changes) {
    const { version, last_change_id: id, previous_status, fence } = after ?? {};
    if (!isDeepStrictEqual(before, last)) found.push(`${id} has another past.`);
    if (version !== Number(last?.version) + 1) found.push(`${id} is not the next version.`);
    if (previous_status !== last?.status) found.push(`${id} has another previous status.`);
    if (Number(fence) <= Number(last?.fence ?? 0)) found.push(`${id} has an older fence.`);
    if (ids.has(id)) found.push(`${id} is done twice.`);
    ids.add(id);
    last = after;
  }
  return found;
}
