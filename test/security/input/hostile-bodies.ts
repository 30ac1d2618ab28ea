import fc from 'fast-check';

/** A body as API Gateway passes it on. */
export interface Body {
  body: string | undefined;
  isBase64Encoded: boolean;
}

/** The statuses of the specification, written out: the service's own list is under test. */
export const STATUSES = ['published', 'closed', 'archived', 'draft', 'paused'];

/** A JSON string, some of its characters written as escapes. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(9), { minLength: word.length, maxLength: word.length })
    .map((choices) => choices.map((choice, at) => (choice === 0 ? escaped(word, at) : word[at])))
    .map((characters) => `"${characters.join('')}"`);

const escaped = (word: string, at: number) =>
  `\\u${word.charCodeAt(at).toString(16).padStart(4, '0')}`;

const oneOfWords = (...words: string[]) => fc.oneof(...words.map(spelled));

const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r', '\u00a0');
const status = oneOfWords(...STATUSES);
const nearStatus = oneOfWords('Closed', 'closed ', 'open', '', 'null', '\ud800');
const key = fc.oneof(
  { weight: 6, arbitrary: spelled('status') },
  { weight: 2, arbitrary: oneOfWords('__proto__', 'constructor', 'prototype', 'toString') },
  { weight: 1, arbitrary: oneOfWords('Status', 'status ', '', 'st\u0430tus', 'length') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
);

/** Values and what only looks like one, by the texts that parsers differ on. */
const scalar = fc.oneof(
  { weight: 5, arbitrary: status },
  { weight: 2, arbitrary: nearStatus },
  {
    weight: 2,
    arbitrary: fc.constantFrom('null', 'true', '0', '-0', '1e400', '1E-7', '9007199254740993'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('NaN', 'Infinity', '01', '.5', '0x1', 'undefined', "'closed'", '"'),
  },
  { weight: 1, arbitrary: fc.constantFrom('"\\x41"', '"\u0000"', '"\\ud800"', '/**/1', '') },
);

const { value } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('object'), tie('list')),
  object: fc
    .array(fc.tuple(space, key, space, tie('value')), { maxLength: 3 })
    .map((members) => members.map(([a, name, b, one]) => `${a}${name}${b}:${b}${one}${a}`))
    .map((members) => `{${members.join(',')}}`),
  list: fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
}));

const member = fc.tuple(
  spelled('status'),
  space,
  fc.oneof({ weight: 4, arbitrary: status }, { weight: 1, arbitrary: nearStatus }),
);
const single = member.map(([name, gap, word]) => `${gap}{${gap}${name}${gap}:${gap}${word}${gap}}`);
const twice = fc
  .tuple(spelled('status'), scalar, spelled('status'), status)
  .map(([one, first, other, second]) => `{${one}:${first},${other}:${second}}`);
const deep = fc
  .tuple(fc.constantFrom('[', '{"status":', '{"__proto__":'), fc.constantFrom(1, 99, 500, 10_000))
  .map(([open, depth]) => open.repeat(depth) + (open === '[' ? ']' : '1}').repeat(depth));

/** JSON texts near `{"status": …}`. */
const text = fc.oneof(
  { weight: 3, arbitrary: single },
  { weight: 2, arbitrary: twice },
  { weight: 4, arbitrary: value },
  { weight: 1, arbitrary: deep },
);

type Spoil = (text: string) => string;

/** Makes a text as many bytes long, of characters that need as many bytes each. */
const padded = (bytes: number, character: string): Spoil => {
  const pad = (room: number) => character.repeat(Math.max(0, room) / Buffer.byteLength(character));
  return character === ' '
    ? (one) => one + pad(bytes - Buffer.byteLength(one))
    : (one) =>
        `{"status":"${pad(bytes - 13 - Buffer.byteLength(one))}"}${one}`.slice(0, -one.length);
};

const spoil: fc.Arbitrary<Spoil> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((one: string) => one) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Spoil>(
      (one) => `\ufeff${one}`,
      (one) => `${one},`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(40).map(
      (at): Spoil =>
        (one) =>
          one.slice(0, at),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1020, max: 1028 }), fc.constantFrom(' ', ' ', 'é', '€', '😀'))
      .map(([bytes, character]) => padded(bytes, character)),
  },
);

const base64 = (one: string | Uint8Array) => Buffer.from(one as string).toString('base64');

/** Ways to pass a body on; the last ones no gateway has. */
const passed: fc.Arbitrary<(one: string) => Body> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((body: string) => ({ body, isBase64Encoded: false })) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(
        (one: string) => base64(one),
        (one: string) => Buffer.from(one).toString('base64url'),
        (one: string) => base64(one).replace(/.{76}/g, '$&\r\n'),
        (one: string) => base64(one).replace(/^./, '$&é*'),
        (one: string) => one,
      )
      .map((encode) => (one: string) => ({ body: encode(one), isBase64Encoded: true })),
  },
);

/** Bodies that are nearly right, and some that are. */
export const hostileBody: fc.Arbitrary<Body> = fc
  .tuple(text, spoil, passed)
  .map(([one, change, pass]) => pass(change(one)));

/** A right body of which a few bytes are others, more or fewer. */
const mutated = fc
  .tuple(fc.constantFrom(...STATUSES), fc.array(fc.tuple(fc.nat(24), fc.nat(255), fc.nat(2))))
  .map(([word, changes]) => {
    const bytes = [...Buffer.from(`{"status":"${word}"}`)];
    for (const [at, byte, removed] of changes.slice(0, 3)) bytes.splice(at, removed, byte);
    return Uint8Array.from(bytes);
  });

const bytes = [
  { weight: 5, arbitrary: mutated },
  { weight: 5, arbitrary: fc.uint8Array({ maxLength: 1100, size: '+1' }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1000, maxLength: 1100 }) },
];

/** Any bytes, and no body at all. */
export const rawBody: fc.Arbitrary<Body> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ body: undefined, isBase64Encoded: false }) },
  {
    weight: 40,
    arbitrary: fc.tuple(fc.oneof(...bytes), fc.nat(3)).map(([sent, way]): Body => {
      if (way < 2) return { body: base64(sent), isBase64Encoded: true };
      const body = Buffer.from(sent).toString(way === 2 ? 'utf8' : 'latin1');
      return { body, isBase64Encoded: body.length % 7 === 0 };
    }),
  },
);
