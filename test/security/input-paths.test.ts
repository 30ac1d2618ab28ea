import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../support/contract.ts';
import { applicationItem, jobItem, leastApplication } from '../support/items.ts';
import { checkRequests, isId, useTarget } from './input/target.ts';

/** Applications whose ids, if they were not encoded, would form the same keys. */
const STORED: readonly (readonly [job: string, candidate: string])[] = [
  ['j-1', 'c-1'],
  ['A#APP', 'B'],
  ['A', 'APP#B'],
  ['A', '#APPB'],
  ['__proto__', 'constructor'],
  ['j-1#', 'c-1'],
  ['j-1%23', 'c-1'],
];

/** What keys, paths and programs give a meaning to, and what no identifier may hold. */
const PIECES = [
  ...['#', '/', '\\', '%', '?', '..', '.', '"', '{', '}', '$', ' ', '\u2028', '%23', '%2F', '%00'],
  ...['TENANT#', '#JOB#', 'APPLICATION#', 'JOB', 'default', 'other', 'j-1', 'c-1', 'A', 'APP', 'B'],
  ...['é', '€', '😀', '__proto__', '\u0000', '\n', '\u007f', '\u0085', '\ud800', '\udc00'],
];
const id = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
  // Of 250 to 262 bytes.
  fc
    .tuple(fc.constantFrom('a', 'é', '€', '😀'), fc.integer({ min: 250, max: 262 }))
    .map(([letter, bytes]) => letter.repeat(bytes / Buffer.byteLength(letter))),
);
const ids = fc.oneof({ weight: 1, arbitrary: fc.constantFrom(...STORED) }, fc.tuple(id, id));

const invalid = (pointer: string) =>
  problemBody('invalid_path', {
    errors: [{ pointer, message: 'must be 1 to 256 bytes of UTF-8 without control characters' }],
  });

describe('whatever the path holds', () => {
  const target = useTarget();
  beforeAll(async () => {
    for (const [job, candidate] of STORED) {
      const members = { ...leastApplication, user_id: JSON.stringify([job, candidate]) };
      await target.table.put(applicationItem({ job, candidate }, members));
      await target.table.put(jobItem({ job }));
      await target.table.put(applicationItem({ tenant: 'other', job: candidate, candidate: job }));
    }
  });

  async function read([job, candidate]: readonly [string, string]): Promise<string> {
    const pathParameters = { id: job, candidate_id: candidate };
    const { status, body } = await target.attack('get-application', { pathParameters });
    if (!isId(job)) expect(body).toEqual(invalid('/id'));
    else if (!isId(candidate)) expect(body).toEqual(invalid('/candidate_id'));
    else if (STORED.some((stored) => stored[0] === job && stored[1] === candidate)) {
      expect(body.user_id).toBe(JSON.stringify([job, candidate]));
    } else expect(body).toEqual(problemBody('application_not_found'));
    return `read ${status}`;
  }

  async function update([job]: readonly [string, string]): Promise<string> {
    const request = { pathParameters: { id: job }, body: { status: 'draft' } };
    const { status, body } = await target.attack('update-job-status', request);
    const isStored = STORED.some((stored) => stored[0] === job);
    const expected = isStored ? { success: true } : problemBody('job_not_found');
    expect(body).toEqual(isId(job) ? expected : invalid('/id'));
    return `update ${status}`;
  }

  it('a request finds the very item or is rejected, and the response has nothing of the path', async () => {
    const requests = fc.tuple(fc.constantFrom(read, read, read, update), ids);
    const outcomes = ['read', 'update'].flatMap((name) =>
      [200, 400, 404].map((status) => `${name} ${status}`),
    );
    await checkRequests(requests, ([request, one]) => request(one), outcomes);
    expect(target.answers.size).toBeLessThanOrEqual(STORED.length + 6);
  });
});
