import fc from 'fast-check';

/** Stands for the token in a header: the token is not known before the issuer runs. */
export const TOKEN = '<token>';

export type Headers = Readonly<Record<string, string>>;

const repeated = (text: string, separator = '') =>
  fc.constantFrom(2, 51, 3000).map((count) => Array(count).fill(text).join(separator));

const latin1 = fc
  .uint8Array({ maxLength: 200, size: '+1' })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));

/** What may stand in any header. */
const anything = fc.oneof(
  latin1,
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('', ' ', ',', ';', '\t', '\u0000', '\r\nX-Injected: yes', '__proto__', '\ud800'),
  fc.constantFrom(9_000, 100_000).map((length) => 'a'.repeat(length)),
);

const scheme = fc.constantFrom(
  ...['Bearer', 'Bearer', 'Bearer', 'bearer', 'BEARER', 'bEaReR', 'Basic', 'DPoP', 'Bearer:', ''],
);
const gap = fc.constantFrom(' ', ' ', ' ', '   ', '', '\t', '\u00a0', '\n');
const credentials = fc.oneof(
  { weight: 5, arbitrary: fc.constant(TOKEN) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[`"${TOKEN}"`, `${TOKEN},`, `${TOKEN}, ${TOKEN}`, `${TOKEN},Bearer ${TOKEN}`],
      ...[`${TOKEN}.`, `.${TOKEN}`, `${TOKEN}.${TOKEN}`, `token=${TOKEN}`, `${TOKEN}\u0000`],
      ...[
        `\u0000${TOKEN}`,
        `${TOKEN} ${TOKEN}`,
        `a${TOKEN}`,
        `${TOKEN} `,
        `${TOKEN}\t`,
        `${TOKEN}==`,
        'a.b.c',
        '..',
        'e30.e30.',
        'null',
      ],
    ),
  },
  { weight: 2, arbitrary: anything },
  // About as long as a token may be.
  {
    weight: 1,
    arbitrary: fc.constantFrom(8192, 8193, 9000).map((length) => 'a'.repeat(length)),
  },
);
const authorization = fc.oneof(
  { weight: 3, arbitrary: fc.constant(`Bearer ${TOKEN}`) },
  {
    weight: 3,
    arbitrary: fc.tuple(scheme, gap, credentials).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: anything },
);

const contentType = fc.oneof(
  { weight: 4, arbitrary: fc.constant('application/json') },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('application/json', 'APPLICATION/json', 'text/json', 'application/jsonp'),
        fc.constantFrom('', ' ', '\t', ',text/plain', '+xml'),
        fc.constantFrom('', ';', '; charset=utf-8', ';charset="', '; a=application/json', ';;;'),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: anything },
);

const tag = fc.constantFrom(
  ...['"1"', '"1"', '"2"', '"0"', 'W/"1"', '1', '"01"', '"1', '"é"', '""', '*', '"-1"', '"1e0"'],
  ...['"9007199254740993"', '"１"', '', '"a,1"'],
);
const ifMatch = fc.oneof(
  { weight: 3, arbitrary: fc.array(tag, { maxLength: 4 }).map((tags) => tags.join(', ')) },
  { weight: 1, arbitrary: fc.array(tag, { maxLength: 60, size: 'max' }).map(String) },
  { weight: 1, arbitrary: tag.chain((one) => repeated(one, ',')) },
  { weight: 1, arbitrary: anything },
);

/** Headers that the service does not read. */
const others = fc.dictionary(
  fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'Host', 'Cookie', 'X-Request-Id', ''),
    fc.constantFrom('X-Amzn-Trace-Id', 'Transfer-Encoding', 'X-HTTP-Method-Override', 'If-Match '),
    fc.string({ unit: 'binary' }),
  ),
  anything,
  { maxKeys: 4 },
);

const written = (name: string) =>
  fc.constantFrom(name, name, name.toUpperCase(), `${name[0]?.toUpperCase()}${name.slice(1)}`);

/** A header that is there more often than not. */
const maybe = (name: string, value: fc.Arbitrary<string>, missing: number) =>
  fc
    .tuple(fc.nat(9), written(name), value)
    .map(([chance, as, one]): Headers => (chance < missing ? {} : { [as]: one }));

/** Headers that mean something to the service, and some that nearly do. */
export const hostileHeaders: fc.Arbitrary<Headers> = fc
  .tuple(
    others,
    maybe('authorization', authorization, 1),
    maybe('content-type', contentType, 1),
    maybe('if-match', ifMatch, 4),
  )
  // Not by spreading: a header may be called __proto__.
  .map((parts) => Object.fromEntries(parts.flatMap((part) => Object.entries(part))));

/** Headers of any bytes; the names are sometimes those that the service reads. */
export const rawHeaders: fc.Arbitrary<Headers> = fc
  .array(
    fc.tuple(
      fc.oneof(latin1, fc.constantFrom('authorization', 'content-type', 'if-match')),
      fc.oneof(
        { weight: 3, arbitrary: latin1 },
        { weight: 1, arbitrary: fc.constantFrom(`Bearer ${TOKEN}`, 'application/json') },
        { weight: 1, arbitrary: latin1.map((text) => `Bearer ${text}`) },
      ),
    ),
    { maxLength: 8 },
  )
  .map((entries) => Object.fromEntries(entries));
