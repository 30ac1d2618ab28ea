import fc from 'fast-check';

/** What keys, paths and programs give a meaning to. */
const PIECES = [
  ...['#', '/', '\\', '%', '?', '&', '..', '.', ':', '"', "'", '{', '}', '$', ' ', '\u2028'],
  ...['%23', '%2F', '%00', '%25', '%', '%C3', 'TENANT#', '#JOB#', 'APPLICATION#', 'JOB'],
  ...['default', 'other', 'j-1', 'c-1', 'A', 'APP', 'B', 'é', '€', '😀', '\ufeff', '\ufffd'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'null', 'undefined', '0', '-1'],
];

/** What no identifier may hold: control characters and halves of surrogate pairs. */
const FORBIDDEN = ['\u0000', '\t', '\n', '\r', '\u001f', '\u007f', '\u0085', '\ud800', '\udc00'];

/** One character, of 1 to 4 bytes, so often that the sum is near the limit of 256 bytes. */
const nearTheLimit = fc
  .tuple(fc.constantFrom('a', 'é', '€', '😀'), fc.integer({ min: 250, max: 262 }))
  .map(([character, bytes]) => {
    const size = Buffer.byteLength(character);
    return character.repeat(bytes / size) + 'a'.repeat(bytes % size);
  });

/** Identifiers, and what nearly are identifiers. */
export const hostileId: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('j-1', 'c-1', ...PIECES, ...FORBIDDEN, '') },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map(joined) },
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...PIECES, ...FORBIDDEN), { maxLength: 9 }).map(joined),
  },
  { weight: 2, arbitrary: nearTheLimit },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
);

/** Any bytes, as the text that one decoder or another makes of them. */
export const rawText: fc.Arbitrary<string> = fc
  .tuple(
    fc.uint8Array({ maxLength: 300, size: '+1' }),
    // Of two bytes each, utf16le makes halves of surrogate pairs.
    fc.constantFrom('utf8' as const, 'latin1' as const, 'utf16le' as const),
  )
  .map(([bytes, encoding]) => Buffer.from(bytes).toString(encoding));

function joined(pieces: readonly string[]): string {
  return pieces.join('');
}

/** Whether a text is 1 to 256 bytes of UTF-8 without control characters: character by character. */
export function isId(text: string): boolean {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point <= 0x1f || (point >= 0x7f && point <= 0x9f)) return false;
    if (point >= 0xd800 && point <= 0xdfff) return false;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes >= 1 && bytes <= 256;
}
