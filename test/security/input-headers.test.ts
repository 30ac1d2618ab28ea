import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { problemTypes } from '../../functions/contract/problem.ts';
import { applicationItem, jobItem } from '../support/items.ts';
import { checkProperty } from './input/check-property.ts';
import { type Headers, hostileHeaders, rawHeaders, TOKEN } from './input/hostile-headers.ts';
import { type Attack, useTarget } from './input/target.ts';
import { printCounts } from './random-cases.ts';

type Outcome =
  | 'ok'
  | 'unauthenticated'
  | 'invalid_token'
  | 'oversized_token'
  | 'unsupported_media_type'
  | 'version_mismatch';

/** The detail of each refusal, which holds nothing of the request. */
const DETAILS: Readonly<Record<Exclude<Outcome, 'ok'>, string>> = {
  unauthenticated: problemTypes.unauthenticated.detail,
  invalid_token: problemTypes.invalid_token.detail.unverified,
  oversized_token: problemTypes.invalid_token.detail.tooLong,
  unsupported_media_type: problemTypes.unsupported_media_type.detail,
  version_mismatch: problemTypes.version_mismatch.detail,
};

const OUTCOMES = ['ok', ...(Object.keys(DETAILS) as (keyof typeof DETAILS)[])] as const;

/** What the credentials are worth: RFC 6750, section 2.1, with the scheme in any case. */
function credentialsOf(header: string | undefined, token: string): Outcome {
  const [scheme = ''] = header?.split(' ', 1) ?? [];
  const rest = header?.slice(scheme.length).replace(/^ +/, '') ?? '';
  if (scheme.toLowerCase() !== 'bearer' || !/^\S.*$/.test(rest)) return 'unauthenticated';
  if (Buffer.byteLength(rest) > 8192) return 'oversized_token';
  return rest === token ? 'ok' : 'invalid_token';
}

/** Whether an `If-Match` allows version 1: RFC 9110, section 13.1.1, for the first fifty tags. */
function isMatch(header: string | undefined): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return header
    .split(',')
    .slice(0, 50)
    .some((tag) => tag.trim() === '"1"');
}

function outcomeOf({ operation, isHeaderless }: Attack, headers: Headers, token: string): Outcome {
  const sent = isHeaderless ? {} : headers;
  // Of a header in two spellings, which no gateway passes on, the last counts.
  const lastOf = (name: string) =>
    Object.entries(sent).findLast(([key]) => key.toLowerCase() === name)?.[1];
  const credentials = credentialsOf(lastOf('authorization'), token);
  if (credentials !== 'ok' || operation === 'get-application') return credentials;
  const [type = ''] = lastOf('content-type')?.split(';') ?? [];
  if (type.trim().toLowerCase() !== 'application/json') return 'unsupported_media_type';
  return isMatch(lastOf('if-match')) ? 'ok' : 'version_mismatch';
}

describe('whatever the headers hold', () => {
  const target = useTarget();
  const counts: Record<Outcome | 'requests', number> = {
    requests: 0,
    ok: 0,
    unauthenticated: 0,
    invalid_token: 0,
    oversized_token: 0,
    unsupported_media_type: 0,
    version_mismatch: 0,
  };
  beforeAll(async () => {
    await target.table.put(applicationItem({}));
    await target.table.put(jobItem({}));
  });
  afterAll(() => printCounts('headers', counts));

  async function send([operation, isHeaderless, marked]: Sent): Promise<Outcome> {
    const { token } = target;
    const headers = Object.fromEntries(
      Object.entries(marked).map(([name, value]) => [name, value.replaceAll(TOKEN, token)]),
    );
    const request: Attack = {
      operation,
      isHeaderless,
      headers,
      pathParameters: { id: 'j-1', candidate_id: 'c-1' },
      // The status that the job has: its version stays.
      body: { status: 'draft' },
    };
    const { status, headers: answered, body } = await target.attack(request);
    const outcome = outcomeOf(request, headers, token);
    counts.requests += 1;
    counts[outcome] += 1;
    if (outcome === 'ok') {
      deepStrictEqual(status, 200);
      return outcome;
    }
    deepStrictEqual(body.code, outcome.replace('oversized', 'invalid'));
    deepStrictEqual(Object.keys(body), MEMBERS);
    deepStrictEqual(body.detail, DETAILS[outcome]);
    deepStrictEqual(
      Object.keys(answered).toSorted(),
      [...NAMES, ...(OWN[outcome] ?? [])].toSorted(),
    );
    return outcome;
  }

  const sent = (headers: fc.Arbitrary<Headers>, operations: Attack['operation'][]) =>
    fc.tuple(
      fc.constantFrom(...operations),
      fc.nat(99).map((chance) => chance === 0),
      headers,
    );

  it('a request is let in or refused as they say, for headers that mean something', async () => {
    const update = 'update-job-status';
    const requests = sent(hostileHeaders, ['get-application', update, update, update]);
    await checkProperty(requests, send, OUTCOMES);
  });

  it('a request is let in or refused as they say, for headers of any bytes', async () => {
    const requests = sent(rawHeaders, ['get-application', 'update-job-status']);
    // Random bytes are hardly ever an `If-Match`, nor long enough.
    const own = ['oversized_token', 'version_mismatch'];
    const outcomes = OUTCOMES.filter((outcome) => !own.includes(outcome));
    await checkProperty(requests, send, outcomes);
  });
});

type Sent = [Attack['operation'], boolean, Headers];

const MEMBERS = ['type', 'title', 'status', 'detail', 'code', 'request_id'];
const NAMES = [
  'Cache-Control',
  'Content-Security-Policy',
  'Content-Type',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'X-Request-Id',
];
const OWN: Readonly<Partial<Record<Outcome, string[]>>> = {
  unauthenticated: ['WWW-Authenticate'],
  invalid_token: ['WWW-Authenticate'],
  oversized_token: ['WWW-Authenticate'],
  unsupported_media_type: ['Accept-Patch'],
  version_mismatch: ['ETag'],
};
