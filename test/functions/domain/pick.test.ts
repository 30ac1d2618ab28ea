import { describe, expect, it } from 'vitest';
import { pick } from '../../../functions/domain/pick.ts';

const shape = {
  type: 'object',
  properties: {
    name: { type: ['string', 'null'] },
    tags: { type: 'array' },
    owner: { type: 'object', properties: { id: { type: 'string' } } },
  },
} as const;

describe('a projection', () => {
  it('takes nothing from the prototype of a value, which a stored __proto__ may have set', () => {
    const heir = Object.create({ id: 'inherited', name: 'inherited' });
    expect(pick(shape, { owner: heir }, () => {})).toEqual({
      name: null,
      tags: [],
      owner: { id: null },
    });
    expect(pick(shape, heir, () => {})).toEqual({ name: null, tags: [], owner: null });
  });

  it('treats names of Object.prototype as data', () => {
    const odd = { properties: { constructor: { type: 'string' }, toString: { type: 'string' } } };
    expect(JSON.stringify(pick(odd, JSON.parse('{"constructor":"c"}'), () => {}))).toBe(
      '{"constructor":"c","toString":null}',
    );
  });
});
