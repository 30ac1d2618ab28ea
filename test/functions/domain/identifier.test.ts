import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isIdentifier, pseudonym } from '../../../functions/domain/identifier.ts';

const character = (code: number) => String.fromCodePoint(code);

describe('an identifier', () => {
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

  it('has no control character of ASCII or Latin-1', () => {
    const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
      (code) => code < 0x20 || code >= 0x7f,
    );
    expect(controls).toHaveLength(65);
    for (const code of controls) expect(isIdentifier(`a${character(code)}b`)).toBe(false);
    expect(isIdentifier(`a${character(0x20)}b`)).toBe(true);
    expect(isIdentifier(`a${character(0xa0)}b`)).toBe(true);
  });
});

describe('an identifier in the log and in events', () => {
  it.each([
    ['4007', true],
    ['gh:4007', true],
    ['2026-001234', true],
    ['123_4567', true],
    ['978-3-16-148410-0', true],
    ['0b0f4f6e-8a4c-4e53-a6c5-90c4b9f3c0de', true],
    ['auth0|5f7c8ec7c33c6c004bbafe82', true],
    ['app.example.com', true],
    ['~a', true],
    // A telephone number, but requisition numbers can look the same.
    ['55-11-5550-0101', true],
    ['ana@example.com', false],
    ['ana%40example.com', false],
    ['ana&#64;example.com', false],
    ['client-1@clients', false],
    ['+5511555500101', false],
    ['Cel. 11 55550-0101', false],
    ['[(11)55550-0101]', false],
    ['M\u00f3vil-1155500101', false],
    ['11\u20115550\u20110101', false],
    ['\uff11\uff12', false],
    ['a\u200b', false],
    ['4007 ', false],
    ['4007\n', false],
    ['YWJj+/==', false],
    ['https://app.example.com/', false],
  ])('is %j unchanged: %j', (id, isUnchanged) => {
    const digest = createHash('sha256').update(id).digest('hex').slice(0, 16);
    expect(pseudonym(id)).toBe(isUnchanged ? id : `sha256:${digest}`);
  });
});
