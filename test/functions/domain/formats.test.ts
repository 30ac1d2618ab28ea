import { describe, expect, it } from 'vitest';
import { validatedSchemas } from '../../../functions/contract/validated-schemas.ts';
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
    expect(new Set(namedFormats(validatedSchemas))).toEqual(new Set(Object.keys(formats)));
  });
});
