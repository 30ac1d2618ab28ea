import { deepStrictEqual, ok } from 'node:assert';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { jobItem } from '../support/items.ts';
import { problemBody } from '../support/problem.ts';
import { checkProperty } from './input/check-property.ts';
import { type Body, hostileBody, rawBody, STATUSES } from './input/hostile-bodies.ts';
import { useTarget } from './input/target.ts';
import { printCounts } from './random-cases.ts';

const invalid = (pointer: string, message: string) =>
  problemBody('invalid_body', {
    errors: [{ pointer, message }],
  });

/** What each refusal may say, to the letter: nothing of it is of the body. */
const REFUSALS = {
  body_too_large: [problemBody('body_too_large')],
  malformed_json: [problemBody('malformed_json')],
  invalid_body: [
    invalid('', 'must be an object that holds status alone'),
    invalid('/status', 'must be one of published, closed, archived, draft, paused'),
  ],
};

type Refusal = keyof typeof REFUSALS;
const OUTCOMES = ['set', ...(Object.keys(REFUSALS) as Refusal[])] as const;

/** What must come of a body: the status that it sets, or the problem that it is. */
function outcomeOf({ body, isBase64Encoded }: Body): { set: string } | Refusal {
  if (body === undefined) return 'malformed_json';
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  // What is not of base64 says nothing, but is counted.
  const size = isBase64Encoded ? Math.floor(body.replace(/=?=$/, '').length * 0.75) : bytes.length;
  if (size > 1024) return 'body_too_large';
  try {
    const text = new TextDecoder('utf8', { ignoreBOM: true }).decode(bytes);
    const value = JSON.parse(isBase64Encoded ? text : body);
    const isRight =
      Object.keys(value).length === 1 && Object.hasOwn(value, 'status') && !Array.isArray(value);
    return isRight && STATUSES.includes(value.status) ? { set: value.status } : 'invalid_body';
  } catch (error) {
    return error instanceof SyntaxError ? 'malformed_json' : 'invalid_body';
  }
}

describe('whatever the body holds', () => {
  const target = useTarget();
  const counts = { requests: 0, set: 0, body_too_large: 0, malformed_json: 0, invalid_body: 0 };
  /** The job as a client that keeps account knows it. */
  const job = { status: 'draft', version: 1 };
  beforeAll(() => target.table.put(jobItem({})));
  afterAll(() => printCounts('bodies', counts));

  async function send(sent: Body): Promise<(typeof OUTCOMES)[number]> {
    const { status, headers, body } = await target.attack({
      operation: 'update-job-status',
      token: target.token,
      pathParameters: { id: 'j-1' },
      headers: { 'content-type': 'application/json' },
      ...sent,
    });
    const outcome = outcomeOf(sent);
    counts.requests += 1;
    counts[typeof outcome === 'string' ? outcome : 'set'] += 1;
    if (typeof outcome === 'string') {
      deepStrictEqual(body.code, outcome);
      const isKnown = REFUSALS[outcome].some((one) => JSON.stringify(one) === JSON.stringify(body));
      ok(isKnown, JSON.stringify(body));
      return outcome;
    }
    if (outcome.set !== job.status) job.version += 1;
    job.status = outcome.set;
    deepStrictEqual([status, body, headers.ETag], [200, { success: true }, `"${job.version}"`]);
    return 'set';
  }

  it('an update sets the status or says what is wrong, for bodies that are nearly right', async () => {
    await checkProperty(hostileBody, send, OUTCOMES);
  });

  it('an update sets the status or says what is wrong, for bodies of any bytes', async () => {
    await checkProperty(rawBody, send, OUTCOMES);
  });
});
