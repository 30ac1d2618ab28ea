import { expect, it } from 'vitest';
import { isExact } from '../../../functions/domain/decimal.ts';

it.each([
  ['8.50', true],
  ['-0.00000000000000000000', true],
  ['1.00000000000000000000', true],
  ['85e-1', true],
  ['9007199254740993', false],
  ['12345678901234567890', false],
  ['0.10000000000000000555', false],
  ['1e-400', false],
  ['1e400', false],
])('a double holds %s exactly: %s', (literal, isHeld) => {
  expect(isExact(literal, Number(literal))).toBe(isHeld);
});
