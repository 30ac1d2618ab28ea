import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Application } from '../../functions/domain/application.ts';
import { project } from '../../functions/domain/projection.ts';
import { isRecord } from '../../functions/domain/record.ts';
import { fullApplication } from '../support/items.ts';
import { scaled, seed } from './random-cases.ts';

/** Members that may be absent, and so null in an answer. */
const ABSENTABLE = ['summary', 'phone', 'city', 'comment', 'degree', 'company'];
const name = fc.oneof(
  fc.constantFrom(...ABSENTABLE, ...'id name email title evaluator education'.split(' ')),
  fc.constantFrom(...'toJSON toString valueOf length then constructor tenant_id salary'.split(' ')),
  fc.string(),
);
const extras = fc.dictionary(name, fc.oneof(fc.constant('canary'), fc.jsonValue()));

/** A stored value with other members at every depth; a stored `__proto__` makes them its prototype. */
function widened(value: unknown, absent: readonly string[], added: object): unknown {
  if (Array.isArray(value)) return value.map((entry) => widened(entry, absent, added));
  if (!isRecord(value)) return value;
  const own = Object.entries(value).filter(([key]) => !absent.includes(key));
  const others = Object.entries(added).filter(([key]) => !Object.hasOwn(value, key));
  const members = own.map(([key, member]) => [key, widened(member, absent, added)]);
  return Object.setPrototypeOf(Object.fromEntries([...others, ...members]), added);
}

describe('what is stored beside the attributes of the contract', () => {
  it('never leaves, and takes the place of nothing that is absent', () => {
    const property = fc.property(fc.subarray(ABSENTABLE), extras, (absent, added) => {
      const stored = widened(fullApplication, absent, added);
      const shown = (key: string, value: unknown) => (absent.includes(key) ? null : value);
      const expected = JSON.stringify(fullApplication, shown);
      expect(JSON.stringify(project(Application, stored))).toBe(expected);
    });
    fc.assert(property, { numRuns: scaled(10_000), seed: seed() });
  });
});
