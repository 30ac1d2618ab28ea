// Elements of any shape are imported or written live, then read through the API and from an export, which is imported
// again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Application } from '../../functions/domain/application.ts';
import { keysOf } from '../../functions/domain/own-value.ts';
import { isRefusedName, MAX_NESTING } from '../../functions/domain/platform-json.ts';
import { command } from '../../infra/data/export/export.ts';
import { recordWriter } from '../../infra/data/writer/record-writer.ts';
import { storedIn } from '../support/candidates.ts';
import { runCommand } from '../support/operator-command.ts';
import { applicationRecord, load, streamOf } from '../support/records.ts';
import { startService } from '../support/service.ts';
import { createTestTable } from '../support/table.ts';
import { scaled, seed } from './random-cases.ts';

type Members = Readonly<Record<string, unknown>>;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '__proto__', '1.2E+17', 's3://files/x', 'javascript:x', '{}', '2026-02-31'),
);
const isStorable = (one: string) => /^[^\0\u0080-\u009f\ufffd\ud800-\udfff]*$/u.test(one);
const storable = text.filter(isStorable);
const number = fc
  .oneof(
    fc.double({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
    fc.integer(),
    fc.constantFrom(1e-129, 5e-7, 9007199254740991, 0.1, 1e15),
  )
  .map((one) => (Math.abs(one) < 1e-129 ? 0 : one));
const scalar = fc.oneof(storable, number, fc.boolean(), fc.constant(null));

const { evaluations, education, experience } = Application.properties;
const { evaluator } = evaluations.items.properties;
const described = [evaluations.items, education.items, experience.items, evaluator].flatMap((one) =>
  keysOf<object>(one.properties),
);
/** Names that mean something to JavaScript, JSON Schema, SQL or DynamoDB, or elsewhere in the contract. */
const loadedNames = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...['then', 'toJSON', 'length', 'size', 'N', 'S', 'M', '$ref', 'rubric_id', 'tenant', 'type'],
  ...[
    'properties',
    'items',
    '#',
    '/',
    '~1',
    '.',
    '0',
    ' ',
    'x'.repeat(255),
    'avaliação',
    'user_id',
  ],
];
const name = fc
  .oneof(fc.constantFrom(...loadedNames), storable.filter(Boolean))
  .filter((one) => !isRefusedName(one, described));
/** The platform's own members, beside those that the contract describes. */
const own = (value: fc.Arbitrary<unknown>) => fc.dictionary(name, value, { maxKeys: 4 });

function nested(levels: number): fc.Arbitrary<unknown> {
  if (levels === 0) return scalar;
  const below = fc.constant(null).chain(() => nested(levels - 1));
  return fc.oneof(
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.array(below, { maxLength: 3 }), weight: 2 },
    { arbitrary: fc.dictionary(name, below, { maxKeys: 3 }), weight: 2 },
  );
}
const deep = fc
  .boolean()
  .map((isList) =>
    Array.from({ length: MAX_NESTING }).reduce<unknown>(
      (inner) => (isList ? [inner] : { x: inner }),
      'x',
    ),
  );
const json = fc.oneof({ arbitrary: nested(4), weight: 9 }, deep);

const nullable = (value: fc.Arbitrary<unknown>) => fc.option(value);
const members = (values: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc
    .tuple(fc.record(values, { requiredKeys: [] }), own(json))
    .map(([one, others]): Members => ({ ...one, ...others }));
const texts = (names: readonly string[]) =>
  Object.fromEntries(names.map((one) => [one, nullable(storable)]));
const period = {
  end_date: nullable(fc.constantFrom('2016', '2016-02-29')),
  ...texts(['location']),
};
const elements = {
  education: members({ ...texts(['institution', 'degree']), ...period }),
  experience: members({
    ...texts(['title', 'company']),
    current: nullable(fc.boolean()),
    ...period,
  }),
  evaluations: members({
    ...texts(['id', 'comment', 'stage_id']),
    evaluator: nullable(members(texts(['id', 'name']))),
    recommendation: fc.constantFrom('yes', 'no', null),
    score: nullable(number),
    submitted_at: fc.constantFrom('2026-09-20T09:00:00.000Z', null),
  }),
};
const ELEMENTS_OF_ONE = 30;
const lists = fc.record({
  education: fc.array(elements.education, { maxLength: ELEMENTS_OF_ONE }),
  experience: fc.array(elements.experience, { maxLength: ELEMENTS_OF_ONE }),
  evaluations: fc.array(elements.evaluations, { maxLength: ELEMENTS_OF_ONE }),
});

/** Equal texts for values that are equal as JSON. */
const canonical = (value: unknown) =>
  JSON.stringify(value, (_, one) =>
    one && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

const withNulls = (schema: { properties: object }, element: Members): Members => ({
  ...Object.fromEntries(keysOf(schema.properties).map((one) => [one, null])),
  ...element,
});
const answered = (given: Readonly<Record<keyof typeof elements, readonly Members[]>>) => ({
  education: given.education.map((one) => withNulls(education.items, one)),
  experience: given.experience.map((one) => withNulls(experience.items, one)),
  evaluations: given.evaluations.map((one) => {
    const by = one.evaluator ? withNulls(evaluator, Object(one.evaluator)) : null;
    return withNulls(evaluations.items, { ...one, evaluator: by });
  }),
});

describe('elements of any shape', async () => {
  const service = await startService();
  const { client, name: table } = service.table;
  const read = (candidate_id: string) =>
    service.getApplication({ pathParameters: { id: '4007', candidate_id } });

  it('come back from the API and from an export as the same JSON', async () => {
    const given = fc.sample(lists, { numRuns: scaled(1000), seed: seed() });
    const writer = recordWriter({ client, table, tenantClaim: 'none' });
    const records = given.map((of, at) => ({
      ...applicationRecord({ user_id: `c-${at}`, ...of }),
      revision: Date.now(),
    }));
    const [imported, written] = [0, 1].map((half) => records.filter((_, at) => at % 2 === half));
    const lines = (imported ?? []).map((record) => JSON.stringify(record));
    expect((await load(service.table, streamOf(...lines))).refused).toEqual([]);
    for (const { revision, ...record } of written ?? []) {
      const { type: _, ...application } = { ...record };
      expect(await writer.putApplication(application as never, revision)).toBe('stored');
    }
    for (const [at, of] of given.entries()) {
      const { status, body } = await read(`c-${at}`);
      const { education, experience, evaluations } = Object(body);
      expect(status).toBe(200);
      expect(canonical({ education, experience, evaluations })).toBe(canonical(answered(of)));
    }
    expect(service.log.take().filter((line) => 'repaired_fields' in line)).toEqual([]);
    const { exitCode, out } = await runCommand(command, ['--table', table]);
    expect(exitCode).toBe(0);
    const other = await createTestTable();
    expect((await load(other, streamOf(out))).refused).toEqual([]);
    expect((await storedIn(other)).map(canonical)).toEqual(
      (await storedIn(service.table)).map(canonical),
    );
  });
});
