import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { applicationItem, jobItem, leastApplication } from '../support/items.ts';
import { problemBody } from '../support/problem.ts';
import { checkProperty } from './input/check-property.ts';
import { hostileId, isId, rawText } from './input/hostile-ids.ts';
import { useTarget } from './input/target.ts';
import { printCounts } from './random-cases.ts';

/** Applications whose ids, were they not encoded, would run into one another. */
const STORED: readonly [job: string, candidate: string][] = [
  ['j-1', 'c-1'],
  ['A#APP', 'B'],
  ['A', 'APP#B'],
  ['A', '#APPB'],
  ['__proto__', 'constructor'],
  ['j-1#', 'c-1'],
  ['j-1%23', 'c-1'],
];

const invalid = (pointer: string) =>
  problemBody('invalid_path', {
    errors: [{ pointer, message: 'must be 1 to 256 bytes of UTF-8 without control characters' }],
  });
const noApplication = problemBody('application_not_found');
const noJob = problemBody('job_not_found');

const OUTCOMES = ['invalid', 'unknown', 'found'] as const;
type Outcome = (typeof OUTCOMES)[number];

interface Ids {
  id: string;
  candidate_id: string;
}

describe('whatever the path holds', () => {
  const target = useTarget();
  const counts = { requests: 0, invalid: 0, unknown: 0, found: 0 };
  beforeAll(async () => {
    for (const [job, candidate] of STORED) {
      const members = { ...leastApplication, user_id: JSON.stringify([job, candidate]) };
      await target.table.put(applicationItem({ job, candidate }, members));
      await target.table.put(jobItem({ job }));
      await target.table.put(applicationItem({ tenant: 'other', job: candidate, candidate: job }));
    }
  });
  afterAll(() => printCounts('paths', counts));

  /** The refusal that such ids must have; undefined if there is none. */
  function refusalOf({ id, candidate_id }: Ids) {
    if (!isId(id)) return invalid('/id');
    if (!isId(candidate_id)) return invalid('/candidate_id');
    const isStored = STORED.some(([job, candidate]) => job === id && candidate === candidate_id);
    return isStored ? undefined : noApplication;
  }

  async function read(pathParameters: Ids): Promise<Outcome> {
    const { token } = target;
    const answer = await target.attack({
      operation: 'get-application',
      token,
      pathParameters: { ...pathParameters },
    });
    const refusal = refusalOf(pathParameters);
    const { id, candidate_id } = pathParameters;
    if (refusal) deepStrictEqual(answer.body, refusal);
    else deepStrictEqual(answer.body.user_id, JSON.stringify([id, candidate_id]));
    return counted(refusal?.status);
  }

  async function update({ id }: Ids): Promise<Outcome> {
    const answer = await target.attack({
      operation: 'update-job-status',
      token: target.token,
      pathParameters: { id },
      headers: { 'content-type': 'application/json' },
      body: { status: 'draft' },
    });
    const isStored = STORED.some(([job]) => job === id);
    const refusal = !isId(id) ? invalid('/id') : isStored ? undefined : noJob;
    deepStrictEqual(answer.body, refusal ?? { success: true });
    return counted(refusal?.status);
  }

  function counted(status: number | undefined): Outcome {
    const outcome = status === 400 ? 'invalid' : status === 404 ? 'unknown' : 'found';
    counts.requests += 1;
    counts[outcome] += 1;
    return outcome;
  }

  const stored = fc.constantFrom(...STORED).map(([id, candidate_id]) => ({ id, candidate_id }));
  const idsOf = (one: fc.Arbitrary<string>) => fc.record({ id: one, candidate_id: one });
  const either = (ids: fc.Arbitrary<Ids>) =>
    fc.tuple(fc.constantFrom(read, read, read, update), ids);

  it('a request finds the very item or is refused, for ids that mean something', async () => {
    const ids = fc.oneof(
      { weight: 1, arbitrary: stored },
      { weight: 15, arbitrary: idsOf(hostileId) },
    );
    await checkProperty(either(ids), ([request, one]) => request(one), OUTCOMES);
  });

  it('a request finds the very item or is refused, for ids of any bytes', async () => {
    await checkProperty(either(idsOf(rawText)), ([request, one]) => request(one), [
      'invalid',
      'unknown',
    ]);
  });
});
