import { describe, expect, it } from 'vitest';
import { isIdentifier } from '../../../functions/domain/identifier.ts';

const character = (code: number) => String.fromCodePoint(code);

describe('an identifier', () => {
  it.each(['gh:4007', 'YWJj+/==', 'a/b?c=d&e', ' ', '%00', 'é日本😀', '__proto__', '..'])(
    'may be %j',
    (value) => {
      expect(isIdentifier(value)).toBe(true);
    },
  );

  it('has at least one byte', () => {
    expect(isIdentifier('')).toBe(false);
    expect(isIdentifier('a')).toBe(true);
  });

  it.each([
    ['a', 1],
    ['é', 2],
    ['日', 3],
    ['😀', 4],
  ])('made of %s has at most 256 bytes, not characters', (letter, bytes) => {
    const most = Math.floor(256 / bytes);
    expect(isIdentifier(letter.repeat(most))).toBe(true);
    expect(isIdentifier(letter.repeat(most + 1))).toBe(false);
  });

  it('holds no control character, of ASCII or of Latin-1', () => {
    const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
      (code) => code < 0x20 || code >= 0x7f,
    );
    expect(controls).toHaveLength(65);
    for (const code of controls) expect(isIdentifier(`a${character(code)}b`)).toBe(false);
    expect(isIdentifier(`a${character(0x20)}b`)).toBe(true);
    expect(isIdentifier(`a${character(0xa0)}b`)).toBe(true);
  });

  it('has a form in UTF-8: no lone surrogate', () => {
    expect(isIdentifier('\ud83d')).toBe(false);
    expect(isIdentifier('a\ude00')).toBe(false);
  });
});
