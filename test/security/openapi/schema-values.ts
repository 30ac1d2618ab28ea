import { followed, misfitOf, type Schema } from '../../support/openapi-file.ts';

/** What a schema of a request may be made of. */
interface RequestSchema {
  type?: string;
  enum?: readonly string[];
  pattern?: string;
  examples?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean;
}

/** Keywords with a generator below, and those that do not narrow what is valid. */
const KEYWORDS = new Set([
  ...['type', 'enum', 'properties', 'required', 'additionalProperties'],
  ...['description', 'examples'],
]);
/** Keywords of a string whose pattern has values below. */
const STRING_KEYWORDS = new Set(['pattern', 'minLength', 'maxLength']);

/** Strings by their pattern, on either side of its edge and of the lengths; that they are is checked. */
const PATTERNS: Readonly<Record<string, { valid: string[]; invalid: string[] }>> = {
  // An identifier, which the service limits to 256 bytes of UTF-8.
  '^[^\\u0000-\\u001F\\u007F-\\u009F]+$': {
    valid: [
      ...['4007', 'gh:4007', '5f0c2a4e-8c1d-4b7e-9a51-0d6f1e2c3b4a', 'aGk+Pz8=', 'a b', ' '],
      ...['a'.repeat(256), 'é'.repeat(128), '€'.repeat(85), '😀'.repeat(64)],
      ...['%', '%2F', '#', '?', '&', '+', '..', '{id}', '"', '\\', '__proto__', 'null', '\u2028'],
    ],
    invalid: [
      ...['a'.repeat(257), 'é'.repeat(257), 'a'.repeat(2000)],
      ...['\u0000', '\n', 'a\tb', '\u001f', '\u007f', '\u0085', ''],
    ],
  },
};

const ANY_STRING = ['', 'a', ' ', '0', '"', 'a'.repeat(1000)];
const OF_TYPES: Readonly<Record<string, unknown[]>> = {
  null: [null],
  boolean: [true, false],
  number: [0, -1, 1.5, 1e300],
  string: ['', 'a', '{}', 'null'],
  array: [[], [{}]],
  object: [{}, { a: {} }],
};

function known(schema: Schema): RequestSchema {
  const target = followed<Schema>(schema);
  const { pattern = '' } = target as RequestSchema;
  const isKnown = (keyword: string) =>
    KEYWORDS.has(keyword) || (Object.hasOwn(PATTERNS, pattern) && STRING_KEYWORDS.has(keyword));
  const strange = Object.keys(target).filter((keyword) => !isKnown(keyword));
  // A keyword passed over would be a part of the contract that no request tries.
  if (strange.length > 0) throw new Error(`No values are made for the keyword ${strange}.`);
  return target;
}

function unknown(what: string | undefined): never {
  throw new Error(`No values are made for ${what}.`);
}

/** Values that a schema of the document allows: its examples, members and edges. */
export function validValues(schema: Schema): unknown[] {
  const values = allowed(schema);
  const wrong = values.filter((value) => misfitOf(schema, value) !== undefined);
  if (values.length === 0 || wrong.length > 0)
    unknown(`${JSON.stringify(wrong)}, which is refused`);
  return values;
}

function allowed(schema: Schema): unknown[] {
  const { type, enum: members, pattern, examples = [], properties = {} } = known(schema);
  if (members !== undefined) return [...members];
  if (type === 'object') return objects(properties, (name) => allowed(properties[name] ?? {}));
  if (type !== 'string') return unknown(`the type ${type}`);
  const strings = pattern === undefined ? ANY_STRING : (PATTERNS[pattern]?.valid ?? []);
  return [...examples, ...strings];
}

/** Objects with all properties, each property with each of its values in turn. */
function objects(
  properties: Readonly<Record<string, Schema>>,
  valuesOf: (name: string) => unknown[],
): object[] {
  const usual = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, allowed(schema)[0]]),
  );
  return Object.keys(properties).flatMap((name) =>
    valuesOf(name).map((value) => ({ ...usual, [name]: value })),
  );
}

/** Values that a schema of the document forbids, each of which is as near to an allowed one as can be. */
export function invalidValues(schema: Schema): unknown[] {
  const values = forbidden(schema);
  const right = values.filter((value) => misfitOf(schema, value) === undefined);
  if (right.length > 0) unknown(`${JSON.stringify(right)}, which is allowed`);
  return values;
}

function forbidden(schema: Schema): unknown[] {
  const { type = '', enum: members, pattern = '', ...object } = known(schema);
  const ofOtherTypes = Object.entries(OF_TYPES).flatMap(([one, values]) =>
    one === type ? [] : values,
  );
  const wrapped = allowed(schema).flatMap((value) => [[value], { value }]);
  const wrong = [...ofOtherTypes, ...(type === 'object' ? wrapped.filter(Array.isArray) : wrapped)];
  if (members !== undefined) return [...wrong, ...members.flatMap(nearly), '', 'other'];
  if (type === 'object') return [...wrong, ...wrongObjects(schema, object)];
  if (type !== 'string') return unknown(`the type ${type}`);
  return [...wrong, ...(PATTERNS[pattern]?.invalid ?? [])];
}

const nearly = (member: string) => [
  ...[`${member} `, ` ${member}`, `${member}\u0000`, `${member}s`, member.slice(1)],
  ...[member.toUpperCase(), `${member[0]?.toUpperCase()}${member.slice(1)}`],
];

/** Objects that lack a member, have one too many, or one that is wrong. */
function wrongObjects(
  schema: Schema,
  { properties = {}, required = [], additionalProperties }: RequestSchema,
): object[] {
  const right = allowed(schema) as object[];
  const [usual = {}] = right;
  const lacking = required.map((name) =>
    Object.fromEntries(Object.entries(usual).filter(([member]) => member !== name)),
  );
  const strange = ['other', '', '__proto__', 'constructor', ...Object.keys(properties).map(upper)];
  const wider = strange.map((name) => Object.fromEntries([...Object.entries(usual), [name, 'a']]));
  return [
    ...lacking,
    ...(additionalProperties === false ? wider : []),
    ...objects(properties, (name) => forbidden(properties[name] ?? {})),
  ];
}

const upper = (name: string) => name.toUpperCase();
