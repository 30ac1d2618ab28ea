import { describe, expect, it } from 'vitest';
import { project } from '../../../functions/domain/projection.ts';

const shape = {
  type: 'object',
  properties: {
    name: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    owner: { type: 'object', properties: { id: { type: 'string' } } },
  },
} as const;

describe('a projection', () => {
  it('has what the schema names, in its order, and nothing else', () => {
    const stored = { extra: 1, tags: ['a'], owner: { id: 'u', extra: 2 }, name: 'n' };
    expect(JSON.stringify(project(shape, stored))).toBe(
      '{"name":"n","tags":["a"],"owner":{"id":"u"}}',
    );
  });

  it('has null for what is missing, and an empty list for a list', () => {
    expect(project(shape, {})).toEqual({ name: null, tags: [], owner: null });
    expect(project(shape, { tags: null, owner: {} })).toEqual({
      name: null,
      tags: [],
      owner: { id: null },
    });
  });

  it('keeps what is false, zero or empty', () => {
    const scalars = { properties: { a: {}, b: {}, c: {} } };
    expect(project(scalars, { a: false, b: 0, c: '' })).toEqual({ a: false, b: 0, c: '' });
  });

  it('leaves a value of another kind as it is, for the schema to reject', () => {
    expect(project(shape, { tags: 'a', owner: ['u'], name: 7 })).toEqual({
      name: 7,
      tags: 'a',
      owner: ['u'],
    });
    expect(project(shape, 'text')).toBe('text');
  });

  it('takes nothing from the prototype of a value, which a stored __proto__ may have set', () => {
    const heir = Object.create({ id: 'inherited', name: 'inherited' });
    expect(project(shape, { owner: heir })).toEqual({ name: null, tags: [], owner: { id: null } });
    expect(project(shape, heir)).toEqual({ name: null, tags: [], owner: null });
  });

  it('takes names of Object.prototype for data', () => {
    const odd = { properties: { constructor: { type: 'string' }, toString: { type: 'string' } } };
    expect(JSON.stringify(project(odd, JSON.parse('{"constructor":"c"}')))).toBe(
      '{"constructor":"c","toString":null}',
    );
  });
});
