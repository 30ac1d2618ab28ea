import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pseudonym } from '../../../functions/domain/pseudonym.ts';

const hashed = (id: string) =>
  `sha256:${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;

describe('an identifier in the log and in events', () => {
  it.each([
    '4007',
    '12345678',
    '5511987650199',
    'c-1001',
    'gh:4007',
    'auth0|5f7c8ec7c33c6c004bbafe82',
    '0b0f4f6e-8a4c-4e53-a6c5-90c4b9f3c0de',
    '00000000-0000-0000-0000-000000000000',
    '1234-56',
    'aGVsbG8+d29ybGQ=',
    '日本-4007',
    '100%',
    'R 2026-001',
    '2026-001-7x',
    'c++17',
  ])('is %j as it is', (id) => {
    expect(pseudonym(id)).toBe(id);
  });

  it.each([
    ['an e-mail address', 'ana@example.com'],
    ['an e-mail address behind a prefix', 'email|ana@example.com'],
    ['an encoded e-mail address', 'ana%40example.com'],
    ['an e-mail address that is encoded twice', 'ana%252540example.com'],
    ['an e-mail address with a full-width sign', 'ana\uff20example.com'],
    ['an international telephone number', '+5511555501010'],
    ['one with separators', '+55 (11) 5550-0101'],
    ['one behind a prefix', 'tel:+55.11.5550.0101'],
    ['one whose sign is encoded', '%2B5511555501010'],
    ['one of full-width digits', '\uff0b\uff15\uff15\uff11\uff11\uff15\uff15\uff15'],
    ['a national telephone number with separators', '(11) 5550-0101'],
    ['one with a dot at its end', '(11) 5550-0101.'],
    ['one with dashes alone', '555-010-0199'],
    ['one of Arabic digits', '\u0660\u0661\u0662 \u0663\u0664\u0665\u0666'],
  ])('is a hash if it is %s', (_, id) => {
    expect(pseudonym(id)).toBe(hashed(id));
    expect(pseudonym(id)).toMatch(/^sha256:[\da-f]{16}$/);
  });

  it('is the same hash for the same identifier, and another for another', () => {
    expect(pseudonym('ana@example.com')).toBe('sha256:8e43ca37701228e7');
    expect(pseudonym('rui@example.com')).not.toBe(pseudonym('ana@example.com'));
  });

  it('is found quickly, however long the row of digits', () => {
    const start = performance.now();
    for (const id of ['+'.repeat(256), '1 '.repeat(128), `${'1'.repeat(255)}x`, '%25'.repeat(85)]) {
      pseudonym(id);
    }
    // Backtracking would take minutes; a busy machine takes less than this.
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
