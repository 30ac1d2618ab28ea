import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { applicationItem, jobItem } from '../support/items.ts';
import { checkRequests, startTarget } from './input/target.ts';

/** Stands for the token, which exists only once the issuer has started. */
const TOKEN = '<token>';

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constantFrom('', ' ', ',', ';', '\t', '\u0000', '\r\nX-Injected: yes', 'a'.repeat(9000)),
);
const parts = (...lists: readonly string[][]) =>
  fc.tuple(...lists.map((list) => fc.constantFrom(...list))).map((chosen) => chosen.join(''));

const authorization = fc.oneof(
  { weight: 3, arbitrary: fc.constant(`Bearer ${TOKEN}`) },
  fc.constant(`Bearer ${'a'.repeat(8193)}`),
  parts(
    ['Bearer', 'Bearer', 'bearer', 'bEaReR', 'Basic', 'DPoP', 'Bearer:', ''],
    [' ', ' ', '   ', '', '\t', '\u00a0', '\n'],
    [TOKEN, TOKEN, TOKEN, '', '..', 'e30.e30.', 'a'.repeat(8192), 'a'.repeat(8193)],
    ['', '', '', ',', '.', ' ', '\t', '==', '\u0000', ` ${TOKEN}`, `,Bearer ${TOKEN}`],
  ),
  anything,
);
const contentType = fc.oneof(
  { weight: 2, arbitrary: fc.constant('application/json') },
  parts(
    ['application/json', 'application/json', 'APPLICATION/json', 'text/json', 'application/jsonp'],
    ['', '', ' ', '\t', ',text/plain', '+xml'],
    ['', '', ';', '; charset=utf-8', ';charset="', '; a=application/json', ';;;'],
  ),
  anything,
);
const contentEncoding = fc.oneof(
  { weight: 3, arbitrary: parts(['identity', 'IDENTITY', ''], ['', ' ', ',', ',\tidentity']) },
  parts(['gzip', 'identity'], ['', ';q=0', ', br']),
  anything,
);
const elements = [
  '"1"',
  '"1"',
  '"2"',
  '"0"',
  'W/"1"',
  '"01"',
  '"é"',
  '""',
  '"-1"',
  '"a,1"',
  '',
  '\t',
];
const malformed = ['1', '"1', '*', '"a,"1",b"', '"1" "2"', 'w/"1"'];
const listOf = (...from: string[]) =>
  fc.array(fc.constantFrom(...from), { maxLength: 60, size: 'max' }).map((list) => list.join(', '));
const ifMatch = fc.oneof(listOf(...elements), listOf(...elements, ...malformed), anything);
const maybe = (name: string, values: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom(name, name.toUpperCase(), ''), values)
    .map(([key, value]): Header[] => (key === '' ? [] : [[key, value]]));

type Header = readonly [name: string, value: string];

const headers = fc
  .tuple(
    maybe('authorization', authorization),
    maybe('content-type', contentType),
    maybe('content-encoding', contentEncoding),
    maybe('if-match', ifMatch),
    maybe('__proto__', anything),
    fc.array(fc.tuple(fc.string({ unit: 'binary' }), anything), { maxLength: 4 }),
  )
  .map((groups) => groups.flat());

/** RFC 6750, section 2.1; the scheme is case-insensitive. A comma separates joined headers. */
function ofCredentials(header = '', token = ''): string {
  const [first = '', ...others] = header.split(',');
  const isJoined = /^bearer /i.test(first) || others.some((each) => /^ *bearer /i.test(each));
  if (others.length > 0 && isJoined) return 'invalid_token';
  const [, credentials] = /^bearer +(\S.*)$/i.exec(header) ?? [];
  if (credentials === undefined) return 'unauthenticated';
  return credentials === token ? 'ok' : 'invalid_token';
}

/** Whether `If-Match` allows version 1 (RFC 9110, section 13.1.1). The service reads only the first fifty tags. */
function isMatch(header = '*'): boolean {
  // Splits at commas outside quotation marks, which are those with an even number of marks after them.
  const elements = header.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const tags = elements.map((each) => each.replace(/^[ \t]+|[ \t]+$/g, '')).filter(Boolean);
  const isList = tags.every((each) => /^(W\/)?"[^\s\p{Cc}"]*"$/u.test(each));
  return header.trim() === '*' || (isList && tags.slice(0, 50).includes('"1"'));
}

describe('whatever the headers contain', async () => {
  const target = await startTarget();
  beforeAll(async () => {
    await target.table.put(applicationItem({}));
    await target.table.put(jobItem({}));
  });

  /** If a header occurs in two spellings (`if-match`, `IF-MATCH`), the last one counts. */
  function expectedOf(isUpdate: boolean, sent: Readonly<Record<string, string>>): string {
    const lastOf = (name: string) =>
      Object.entries(sent).findLast(([key]) => key.toLowerCase() === name)?.[1];
    const credentials = ofCredentials(lastOf('authorization'), target.token);
    if (credentials !== 'ok' || !isUpdate) return credentials;
    const [type = ''] = lastOf('content-type')?.split(';') ?? [];
    const codings = (lastOf('content-encoding') ?? '').split(',').map((each) => each.trim());
    const isIdentity = codings.every((each) => /^(identity)?$/i.test(each));
    if (type.trim().toLowerCase() !== 'application/json' || !isIdentity) {
      return 'unsupported_media_type';
    }
    return isMatch(lastOf('if-match')) ? 'ok' : 'version_mismatch';
  }

  it('a request is accepted or rejected accordingly, and the response repeats nothing of the headers', async () => {
    const requests = fc.tuple(fc.nat(3), headers);
    const outcomes = ['unauthenticated', 'invalid_token', 'unsupported_media_type'];
    const send = async ([operation, marked]: readonly [number, Header[]]) => {
      const entries = marked.map(([name, value]) => [name, value.replaceAll(TOKEN, target.token)]);
      const sent: Record<string, string> = Object.fromEntries(entries);
      const isUpdate = operation > 0;
      const { status, body } = await target.attack(
        isUpdate ? 'update-job-status' : 'get-application',
        // The job already has this status, so its version stays 1.
        { body: { status: 'draft' }, event: { headers: sent } },
      );
      const outcome = status === 200 ? 'ok' : String(body.code);
      expect(outcome).toBe(expectedOf(isUpdate, sent));
      return outcome;
    };
    await checkRequests(requests, send, ['ok', 'version_mismatch', ...outcomes]);
    // One response each for the success of both operations, no credentials, an invalid token, several, a token too long,
    // a wrong type, a wrong coding, and an `If-Match` for another version.
    expect(target.responses.size).toBe(9);
  });
});
