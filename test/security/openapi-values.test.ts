import { describe, expect, it } from 'vitest';
import { documentedOperations, type Schema } from '../support/openapi-file.ts';
import { invalidValues, validValues } from './openapi/schema-values.ts';

const closed = (properties: object, members: object = {}): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...members,
});
const word = { type: 'string', enum: ['yes', 'no'] };

describe('the values that are made of a schema', () => {
  it('are, if valid, every member and both edges of a length', () => {
    expect(validValues(word)).toEqual(['yes', 'no']);
    expect(validValues(closed({ word }))).toEqual([{ word: 'yes' }, { word: 'no' }]);
    const schema = documentedOperations[0]?.parameters[0]?.schema;
    const bytes = validValues(schema ?? {}).map((value) => Buffer.byteLength(String(value)));
    expect([Math.min(...bytes), Math.max(...bytes)]).toEqual([1, 256]);
  });

  it('are, if invalid, of other types, near misses, too few and too many', () => {
    const wrong = invalidValues(closed({ word }));
    for (const value of [null, 'a', [], {}, [{ word: 'yes' }]]) expect(wrong).toContainEqual(value);
    for (const near of ['yes ', 'YES', ['yes'], null, true, 0, { value: 'no' }, '']) {
      expect(wrong).toContainEqual({ word: near });
    }
    expect(wrong).toContainEqual({ word: 'yes', other: 'a' });
    expect(wrong).toContainEqual({ word: 'yes', WORD: 'a' });
  });

  it('are not made of a schema whose keywords are not all known', () => {
    for (const strange of [
      { minLength: 2 },
      { pattern: '^a' },
      { oneOf: [] },
      { nullable: true },
    ]) {
      const schema = closed({ word: { ...word, ...strange } });
      expect(() => validValues(schema)).toThrow(`keyword ${Object.keys(strange)}`);
      expect(() => invalidValues(schema)).toThrow(`keyword ${Object.keys(strange)}`);
    }
    for (const strange of [{ type: 'integer' }, { type: 'string', format: 'date' }]) {
      expect(() => validValues(strange)).toThrow('No values are made for');
      expect(() => invalidValues(strange)).toThrow('No values are made for');
    }
  });

  it('are made for all that the document says of requests', () => {
    for (const { parameters, requestBody } of documentedOperations) {
      for (const { schema } of [...parameters, ...Object.values(requestBody?.content ?? {})]) {
        expect(validValues(schema).length).toBeGreaterThan(3);
        expect(invalidValues(schema).length).toBeGreaterThan(3);
      }
    }
  });
});
