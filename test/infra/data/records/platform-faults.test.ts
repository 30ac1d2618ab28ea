import { describe, expect, it } from 'vitest';
import { MAX_ELEMENTS, MAX_NESTING } from '../../../../functions/domain/platform-json.ts';
import { parseLine } from '../../../../infra/data/import/parse-line.ts';
import { itemBytes } from '../../../../infra/data/records/storable.ts';
import { InvalidRecord, recordWriter } from '../../../../infra/data/writer/record-writer.ts';
import { leastApplication } from '../../../support/items.ts';
import { applicationLine } from '../../../support/records.ts';
import { createTestTable } from '../../../support/table.ts';

const parsed = (line: string) => parseLine(Buffer.from(line));
const reasonOf = (line: string) => {
  const result = parsed(line);
  return result && 'reason' in result ? result.reason : undefined;
};
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
/** As text: in an object literal, `__proto__` would set the prototype. */
const lineWith = (element: string) =>
  applicationLine('c-1', { education: ['ELEMENT'] }).replace('"ELEMENT"', element);

describe('a line', () => {
  it.each([
    ['a name of a described member in an object below', '{"x":{"Degree":1,"degree":1}}'],
    ['names of Object.prototype', '{"toString":{"toString":{}},"valueOf":1,"hasOwnProperty":null}'],
  ])('is stored with an element that has %s', (_, element) => {
    expect(parsed(lineWith(element))).toMatchObject({
      item: { education: [JSON.parse(element)] },
    });
  });

  it.each([
    ['is not an object', '"USP 2010"', '/education/0 must be object'],
    ['is null', 'null', '/education/0 must be object'],
    ['has a described member of another type', '{"degree":1}', '/education/0/degree must be str'],
    ['has __proto__', '{"__proto__":{"x":1}}', '/education/0 has a member whose name is refused'],
    ['has constructor below', '{"x":[{"constructor":1}]}', '/education/0/x/0 has a member whose'],
    ['has additionalProperties', '{"additionalProperties":1}', '/education/0 has a member whose'],
    ['has a described name in capitals', '{"Degree":"x"}', '/education/0 has a member whose name'],
    ['has one that Go reads as such', '{"de\u017fcription":"x"}', '/education/0 has a member'],
    ['has an empty name', '{"":1}', '/education/0 has a member whose name'],
    ['has a long name', `{"${'x'.repeat(256)}":1}`, '/education/0 has a member whose name'],
    ['has a name in a wrong encoding', '{"a\u0096":1}', '/education/0 has a member whose name'],
    ['has a text with NUL', '{"x":["\\u0000"]}', '/education/0/x/0 must be Unicode text without'],
    ['has half a character', '{"x":"\\ud800"}', '/education/0/x must be Unicode text without'],
    ['has a number that JavaScript rounds', '{"x":12345678901234567890}', '/education/0/x must be'],
    ['has a number that is too large', '{"x":1e300}', '/education/0/x must be 0, or from 1e-130'],
    [
      `has ${MAX_NESTING + 1} levels`,
      JSON.stringify({ x: nested(MAX_NESTING + 1) }),
      `/education/0/x${'/0'.repeat(MAX_NESTING)} must have at most ${MAX_NESTING} lists and objects`,
    ],
  ])('is refused with an element that %s', (_, element, reason) => {
    expect(reasonOf(lineWith(element))).toContain(reason);
  });

  it('is refused with more elements than a response may have', () => {
    const of = (length: number) =>
      applicationLine('c-1', { experience: Array.from({ length }, () => ({})) });
    expect(reasonOf(of(MAX_ELEMENTS))).toBeUndefined();
    expect(reasonOf(of(MAX_ELEMENTS + 1))).toBe('/experience must NOT have more than 500 items');
  });

  it.each(['ana@example.com', 'Ana Example', '+55 11 5550 0101'])(
    'is refused without its member %s being quoted, whose name may be personal data',
    (name) => {
      const below = JSON.stringify({ [name]: { constructor: 1 } });
      expect(reasonOf(lineWith(below))).toMatch(/^\/education\/0\/\* has a member/);
      const refused = { [`${name}\u0096`]: 1 };
      expect(reasonOf(lineWith(JSON.stringify(refused)))).not.toContain(name);
    },
  );

  it('has at most five reasons, from its own members and from the described ones', () => {
    const element = JSON.stringify({ degree: 1, x: ['\0', '\0', '\0'], institution: 2, y: 1e300 });
    expect(reasonOf(lineWith(element))?.split('; ')).toEqual([
      ...[0, 1, 2].map((at) => expect.stringContaining(`/education/0/x/${at} must be Unicode`)),
      expect.stringContaining('/education/0/y must be 0'),
      '/education/0/institution must be string or null',
      'and 1 more',
    ]);
    const many = JSON.stringify({ x: Array.from({ length: 200_000 }, () => '\0') });
    expect(reasonOf(lineWith(many))?.split('; ')).toHaveLength(5);
  });
});

describe('a live write', async () => {
  const { client, name: table } = await createTestTable();
  const { putApplication } = recordWriter({ client, table, tenantClaim: 'none' });
  const put = async (element: unknown) => {
    const record = { ...leastApplication, job_id: '4007', education: [element] };
    return putApplication(record as never, Date.now());
  };
  const selfish: Record<string, unknown> = {};
  selfish.self = selfish;
  const shared = Array.from({ length: 12 }).reduce<unknown[]>(
    (inner) => Array.from({ length: 12 }, () => inner),
    [],
  );

  it.each([
    ['/education/0/x', 'a date', { x: new Date() }],
    ['/education/0/x', 'a map', { x: new Map([['canary', 1]]) }],
    ['/education/0/x/0', 'a set', { x: [new Set(['canary'])] }],
    ['/education/0/x', 'bytes', { x: new TextEncoder().encode('canary') }],
    ['/education/0/x', 'a large integer', { x: 2n }],
    ['/education/0/x', 'not a number', { x: Number.NaN }],
    ['/education/0/x/0', 'nothing in a list', { x: [undefined] }],
    ['/education/0/x/0', 'a hole in a list', { x: new Array(1) }],
    ['/education/0/x', 'an error', { x: new Error('canary') }],
    ['/education/0', 'a map for an element', new Map([['canary', 1]])],
    ['', 'a list that contains itself', { x: selfish }],
    ['', 'a record of shared lists', { x: shared }],
    ['', 'a sparse list', { x: new Array(1e9) }],
  ])('is refused by the name %s with %s', async (member, _, element) => {
    const error = await put(element).catch((thrown: unknown) => thrown);
    if (!(error instanceof InvalidRecord)) throw error;
    expect(error.faults).toMatchObject([{ member }]);
    expect(error.message).not.toContain('canary');
  });

  it('is stored without members that are undefined, like a JSON text of it', async () => {
    expect(await put({ degree: undefined, x: undefined, y: { z: undefined } })).toBe('stored');
  });
});

describe('the size of an item', () => {
  it('is what DynamoDB counts, with a byte more for some numbers', () => {
    const ones = Array.from({ length: 19_000 }, (_, at) => at % 10);
    expect(itemBytes({ x: ones })).toBeLessThan(65_000);
    expect(itemBytes({ x: null, y: true, z: [null, {}] })).toBe(1 + 1 + (1 + 1) + 1 + (3 + 2) + 4);
    expect(itemBytes({ n: -12.5 })).toBe(1 + 4);
    expect(itemBytes({ n: 1e20 })).toBe(1 + 2);
  });

  it('counts every level', () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 'x');
    expect(itemBytes({ x: deep })).toBe(1 + 100_000 * (3 + 1) + 1);
  });
});
