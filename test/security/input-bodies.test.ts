import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { jobStatuses } from '../../functions/domain/job.ts';
import { jobItem } from '../support/items.ts';
import { checkRequests, startTarget } from './input/target.ts';

interface Body {
  body: string | undefined;
  isBase64Encoded: boolean;
}

const status = fc.constantFrom(...jobStatuses);
const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r', '\u00a0');
const right = fc
  .tuple(space, status, space)
  .map(([gap, word, other]) => `${gap}{${other}"status"${gap}:${gap}"${word}"${other}}${gap}`);
const key = fc.constantFrom('status', 'st\\u0061tus', 'Status', '__proto__', 'constructor', '');
const value = fc.oneof(
  status.map((word) => `"${word}"`),
  fc.json(),
  fc.constantFrom('"c\\u006cosed"', '"\ud800"', '1e400', '01', 'NaN', "'closed'", '"\\x41"'),
);
const close = fc
  .array(fc.tuple(key, value), { maxLength: 3 })
  .map((members) => `{${members.map(([name, one]) => `"${name}":${one}`).join(',')}}`);
const deep = fc.constantFrom('['.repeat(300), `${'{"status":'.repeat(99)}1${'}'.repeat(99)}`);
/** Around the limit of 1024 bytes. */
const long = fc.oneof(
  fc.integer({ min: 1020, max: 1028 }).map((bytes) => '{"status":"closed"}'.padEnd(bytes)),
  fc
    .tuple(fc.constantFrom('é', '€', '😀'), fc.integer({ min: 1007, max: 1015 }))
    .map(([letter, bytes]) => `{"status":"${letter.repeat(bytes / Buffer.byteLength(letter))}"}`),
);
const text = fc.oneof(
  { weight: 3, arbitrary: right },
  ...[close, fc.json(), deep, long, fc.string()],
  fc.tuple(close, fc.nat(40)).map(([one, length]) => one.slice(0, length)),
  fc.tuple(fc.constantFrom('\ufeff', '\ufeff\ufeff'), right).map((parts) => parts.join('')),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 1100, size: '+1' }),
  fc
    .tuple(right, fc.array(fc.tuple(fc.nat(24), fc.nat(255), fc.nat(2)), { maxLength: 3 }))
    .map(([one, changes]) => {
      const changed = [...Buffer.from(one)];
      for (const [at, byte, removed] of changes) changed.splice(at, removed, byte);
      return Uint8Array.from(changed);
    }),
);

const bodies: fc.Arbitrary<Body> = fc.oneof(
  { weight: 5, arbitrary: text.map((body) => ({ body, isBase64Encoded: false })) },
  fc
    .tuple(
      fc.oneof(
        bytes,
        text.map((one) => Buffer.from(one)),
      ),
      fc.constantFrom<BufferEncoding>('base64', 'base64', 'base64url', 'utf8', 'latin1'),
    )
    .map(([one, encoding]) => ({
      body: Buffer.from(one).toString(encoding),
      isBase64Encoded: encoding !== 'latin1',
    })),
  fc.constant({ body: undefined, isBase64Encoded: false }),
);

const isStatus = (value: unknown) => jobStatuses.some((status) => status === value);

/** Allowed outcomes: the status that a body sets, or its problem's code; two codes if it is not UTF-8. */
function outcomesOf({ body, isBase64Encoded }: Body): string[] {
  if (body === undefined) return ['malformed_json'];
  const decoded = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (decoded.length > 1024) return ['body_too_large'];
  if (isBase64Encoded && !isUtf8(decoded)) return ['malformed_json', 'invalid_body'];
  try {
    const parsed = JSON.parse((isBase64Encoded ? decoded.toString() : body).replace(/^\ufeff/, ''));
    const isRight = Object.keys(parsed).join() === 'status' && !Array.isArray(parsed);
    return [isRight && isStatus(parsed.status) ? parsed.status : 'invalid_body'];
  } catch (error) {
    return [error instanceof SyntaxError ? 'malformed_json' : 'invalid_body'];
  }
}

describe('whatever the body contains', async () => {
  const target = await startTarget();
  beforeAll(() => target.table.put(jobItem({})));

  it('an update sets the status or gets a problem, and the response repeats nothing of the body', async () => {
    const job = { status: 'draft', version: 1 };
    const send = async (sent: Body) => {
      const { status, headers, body } = await target.attack('update-job-status', sent);
      const [outcome = '', ...others] = outcomesOf(sent);
      if (!isStatus(outcome)) {
        expect([outcome, ...others]).toContain(body.code);
        return String(body.code);
      }
      if (outcome !== job.status) job.version += 1;
      job.status = outcome;
      expect([status, headers.ETag]).toEqual([200, `"${job.version}"`]);
      return outcome;
    };
    const outcomes = ['body_too_large', 'malformed_json', 'invalid_body', ...jobStatuses];
    await checkRequests(bodies, send, outcomes);
    // One response each for success, a body too large, malformed JSON, JSON other than an object with only a status,
    // and an invalid status.
    expect(target.responses.size).toBe(5);
  });
});
