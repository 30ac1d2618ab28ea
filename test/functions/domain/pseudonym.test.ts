import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pseudonym } from '../../../functions/domain/pseudonym.ts';

const hashed = (id: string) =>
  `sha256:${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;

/** Ids that are no telephone numbers. */
const plain = [
  '4007',
  '5511987650199',
  'gh:4007',
  'auth0|5f7c8ec7c33c6c004bbafe82',
  '0b0f4f6e-8a4c-4e53-a6c5-90c4b9f3c0de',
  '00000000-0000-0000-0000-000000000000',
  '1234-56',
  'aGVsbG8+d29ybGQ=',
  '100%',
  'R 2026-001',
  '2026-001-7x',
  'c++17',
  '2026-09-14',
  '2026/09/14',
  '14.09.2026',
  '2026-12-01',
  '2026-11-4',
  '4-11-2026',
  '09/14/2026',
  '2026\u201109\u201114',
  ' 2026-09-14 ',
  ' 2026\u201109\u201114 ',
  '\u0662\u0660\u0662\u0666-\u0661\u0662-\u0663\u0661',
  // The second ten digits of a block that has twenty.
  '\u{116dc}\u{116da}\u{116dc}\u{116e0}-\u{116da}\u{116e3}-\u{116db}\u{116de}',
  '192.168.100.1',
  '255.255.255.255',
  '192.168.100.0/24',
  'urn:example:1234-5678',
  'telephone',
  'tel-aviv-2026',
  '2001:db8::8a2e:370:7334',
  '1234 5678 9012 3456 7890',
  '20260001x2',
  '4007 (draft)',
  'a&#1114112;b',
  'a&#b',
];

/** Spellings of telephone numbers. */
const telephones = [
  '+5511555501010',
  '&#43;5511555501010',
  '&#x0002b;55 11 5550 0101',
  '&plus;5511555501010',
  '+55 (11) 5550-0101',
  'tel:+55.11.5550.0101',
  '%2B5511555501010',
  '%252B55%252011%25205550',
  '\uff0b\uff15\uff15\uff11\uff11\uff15\uff15\uff15',
  '(11) 5550-0101',
  '(11)55500101',
  '\u0660\u0661\u0662 \u0663\u0664\u0665\u0666',
  '\u0966\u0966\u096a\u096f3012345678',
  '+49 30/1234567',
  '0049 30 1234567',
  'TEL 0049 30 1234567',
  '11 2026-09-14',
  '2026-09-14 11',
  '00493012345678',
  '202\u2011555\u20110101',
  '202\u2212555\u22120101',
  '\uff10\uff13\u30fc\uff15\uff15\uff15\uff15\u30fc\uff10\uff11\uff10\uff11',
  '202\u00a0555\u00a00101',
  '\u202a+1 202 555 0101\u202c',
  '+\u200e12025550101',
  '2\ufe0f\u20e30\ufe0f\u20e32-555-0101',
  'Tel. 202 555 0101',
  'Fax: (202) 555-0101',
  'Telefone: (11) 95550-0101',
  'Teléfono 915550101',
  'celular 11955500101',
  'Te\u0301l. 01 55 50 01 01',
  'Telefon 030 1234567',
  '202 555 0101 ext. 12',
  '202-555-0101x12',
  'whatsapp:+5511555501010',
  '5550101 ext. 4',
  '5550101 (home)',
  '555·010·1122',
  '202_555_0101',
];

describe('an identifier in the log and in events', () => {
  it.each(plain)('is %j as it is', (id) => {
    expect(pseudonym(id)).toBe(id);
  });

  it.each(telephones)('is a hash if it is the telephone number %j', (id) => {
    expect(pseudonym(id)).toBe(hashed(id));
    expect(pseudonym(id)).toMatch(/^sha256:[\da-f]{16}$/);
  });

  it.each([
    ['as it is', 'ana@example.com'],
    ['encoded twice', 'ana%252540example.com'],
    ['encoded with an invisible character', 'ana%\u200b40example.com'],
    ['with a full-width sign that is encoded', 'ana%EF%BC%A0example.com'],
    ['with its sign as HTML writes it', 'ana&#64;example.com'],
    ['with its sign as a hexadecimal character reference', 'ana&#x0040;example.com'],
    ['with its sign as a character reference without a semicolon', 'ana&#64 example.com'],
    ['with its sign by name', 'ana&commat;example.com'],
  ])('is a hash if it is an e-mail address %s', (_, id) => {
    expect(pseudonym(id)).toBe(hashed(id));
  });

  it('is the same hash for the same identifier, and another for another', () => {
    expect(pseudonym('ana@example.com')).toBe('sha256:8e43ca37701228e7');
    expect(pseudonym('rui@example.com')).not.toBe(pseudonym('ana@example.com'));
  });

  // With backtracking, each of them would take longer than the runner waits.
  it.each([
    '+'.repeat(256),
    '1 '.repeat(128),
    `${'1'.repeat(255)}x`,
    `1${' '.repeat(254)}x`,
    '%25'.repeat(85),
    `%${'25'.repeat(127)}`,
  ])('is as it is, however long: %j', (id) => {
    expect(pseudonym(id)).toBe(id);
  });
});
