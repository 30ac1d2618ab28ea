import { describe, expect, it } from 'vitest';
import { pick } from '../../../functions/domain/pick.ts';

const shape = {
  type: 'object',
  properties: {
    name: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    owner: { type: 'object', properties: { id: { type: 'string' } } },
  },
} as const;

describe('a projection', () => {
  it('has null for a missing member, and an empty list for a missing list', () => {
    expect(pick(shape, {})).toEqual({ name: null, tags: [], owner: null });
    expect(pick(shape, { tags: null, owner: {} })).toEqual({
      name: null,
      tags: [],
      owner: { id: null },
    });
  });

  it('keeps values that are false, zero or empty', () => {
    const scalars = { properties: { a: {}, b: {}, c: {} } };
    expect(pick(scalars, { a: false, b: 0, c: '' })).toEqual({ a: false, b: 0, c: '' });
  });

  it('keeps a value of another type, so that the schema rejects it', () => {
    expect(pick(shape, { tags: 'a', owner: ['u'], name: 7 })).toEqual({
      name: 7,
      tags: 'a',
      owner: ['u'],
    });
    expect(pick(shape, 'text')).toBe('text');
  });

  it('takes nothing from the prototype of a value, which a stored __proto__ may have set', () => {
    const heir = Object.create({ id: 'inherited', name: 'inherited' });
    expect(pick(shape, { owner: heir })).toEqual({ name: null, tags: [], owner: { id: null } });
    expect(pick(shape, heir)).toEqual({ name: null, tags: [], owner: null });
  });

  it('treats names of Object.prototype as data', () => {
    const odd = { properties: { constructor: { type: 'string' }, toString: { type: 'string' } } };
    expect(JSON.stringify(pick(odd, JSON.parse('{"constructor":"c"}')))).toBe(
      '{"constructor":"c","toString":null}',
    );
  });
});
