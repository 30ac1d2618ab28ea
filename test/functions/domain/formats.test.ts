import { describe, expect, it } from 'vitest';
import { compiled } from '../../../functions/contract/compiled.ts';
import { formats } from '../../../functions/domain/formats.ts';

/** Every `format` that a schema names, at any depth. */
function namedFormats(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'format' ? [String(value)] : namedFormats(value),
  );
}

describe('the formats', () => {
  it('are exactly those that the schemas name', () => {
    expect(new Set(namedFormats(compiled))).toEqual(new Set(Object.keys(formats)));
  });
});
