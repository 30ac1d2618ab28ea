/** A mutant that no test can tell from the program, and why. */
export interface Equivalent {
  file: string;
  /** The line where the changed text begins, as run.ts prints it of a survivor. */
  line: string;
  /** The text that is changed, and what it is changed to. */
  code: string;
  replacement: string;
  why: string;
}

/** One reason, and the changes on a line that it holds for. */
type Argument = Pick<Equivalent, 'file' | 'line' | 'why'> & {
  changes: readonly (readonly [code: string, replacement: string])[];
};

const inAuthentication: readonly Argument[] = [
  {
    file: 'functions/auth/access-token.ts',
    line: "if (typeof payload.exp !== 'number' || payload.exp > LAST_EXPIRY_S) {",
    changes: [["typeof payload.exp !== 'number'", 'false']],
    why: 'jose, told that exp is required, refuses a token whose exp is no number before.',
  },
  {
    file: 'functions/auth/access-token.ts',
    line: "if (!COMPACT.test(token)) throw new JWSInvalid('Other characters than those of base64url.');",
    changes: [["'Other characters than those of base64url.'", '""']],
    why: 'The message of a cause is in no answer and, being no Problem, in no log.',
  },
  {
    file: 'functions/auth/access-token.ts',
    line: "return named.some((audience) => typeof audience === 'string' && audiences.includes(audience));",
    changes: [["typeof audience === 'string'", 'true']],
    why: 'The audiences of the deployment are strings: they include nothing else.',
  },
  {
    file: 'functions/auth/authenticate.ts',
    line: 'const token = header === undefined ? undefined : CREDENTIALS.exec(header)?.[1];',
    changes: [['header === undefined', 'false']],
    why: 'A regular expression reads undefined as a word, and that word is no credentials.',
  },
];

const inIssuerKeys: readonly Argument[] = [
  {
    file: 'functions/auth/issuer-keys.ts',
    line: 'const listed = Array.isArray(document.keys) ? document.keys : [];',
    changes: [['[]', '["Stryker was here"]']],
    why: 'A text in the list is no key, and is left out.',
  },
  {
    file: 'functions/auth/issuer-keys.ts',
    line: 'const keys = await usable(listed.map(signingKey).filter((key) => key !== undefined));',
    changes: [
      ['listed.map(signingKey).filter((key) => key !== undefined)', 'listed.map(signingKey)'],
      ['key !== undefined', 'true'],
    ],
    why: 'The check of undefined throws, and what throws there is left out.',
  },
  {
    file: 'functions/auth/issuer-keys.ts',
    line: "if (URL.parse(issuer)?.protocol === 'https:' && URL.parse(jwksUri)?.protocol !== 'https:') {",
    changes: [['URL.parse(issuer)?.protocol', 'URL.parse(issuer).protocol']],
    why: 'The issuer is a URL: its discovery document has just been fetched from there.',
  },
  {
    file: 'functions/auth/issuer-keys.ts',
    line: "if (isRsa && algorithm.modulusLength < SHORTEST_MODULUS_BITS) throw new Error('Too short.');",
    changes: [["'Too short.'", '""']],
    why: 'The error only leaves the key out; nobody reads its message.',
  },
  {
    file: 'functions/auth/issuer-keys.ts',
    line: "if (kty === 'EC' && crv === 'P-256' && typeof x === 'string' && typeof y === 'string') {",
    changes: [["kty === 'EC'", 'true']],
    why: 'Of another kind, with these members alone, jose imports no key for either algorithm.',
  },
];

const inBodies: readonly Argument[] = [
  {
    file: 'functions/http/require-json.ts',
    line: "const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();",
    changes: [
      [
        "headers['content-type']?.split(';', 1)[0]?.trim",
        "headers['content-type']?.split(';', 1)[0].trim",
      ],
    ],
    why: 'What is split has a first part, if an empty one; only the compiler does not know.',
  },
  {
    file: 'functions/http/require-json.ts',
    line: "const encoding = isBase64Encoded ? 'base64' : 'utf8';",
    changes: [["'utf8'", '""']],
    why: 'Buffer.byteLength takes an encoding that it does not know for UTF-8.',
  },
  {
    file: 'functions/domain/application.ts',
    line: 'required: Object.keys(properties).filter(',
    changes: [
      [
        'Object.keys(properties).filter( (name) => name in properties, )',
        'Object.keys(properties)',
      ],
    ],
    why: 'Every key of an object is in it; the filter tells the compiler.',
  },
];

const inFailures: readonly Argument[] = [
  {
    file: 'functions/http/log-request.ts',
    line: 'status: response?.statusCode,',
    changes: [['response?.statusCode', 'response.statusCode']],
    why: 'problems() has given every failure an answer before; only the compiler does not know.',
  },
  {
    file: 'functions/http/problems.ts',
    line: "return invalid([{ instancePath: '/body', keyword: 'propertyNames', params: {} }], expectations);",
    changes: [["'propertyNames'", '""']],
    why: 'Only the keywords required and format make a difference.',
  },
  {
    file: 'functions/http/problems.ts',
    line: "const inBody = errors[0]?.instancePath.startsWith('/body');",
    changes: [['errors[0]?.instancePath', 'errors[0].instancePath']],
    why: 'A validator that refuses gives an error; only the compiler does not know.',
  },
  {
    file: 'functions/runtime/logger.ts',
    line: "function framesOf({ stack = '', message } ) {",
    changes: [["''", '"Stryker was here!"']],
    why: 'No line of that text is a line of a stack.',
  },
];

const inStore: readonly Argument[] = [
  {
    file: 'functions/store/applications.ts',
    line: "const where = isApplication.errors?.map((error) => error.instancePath).join(', ');",
    changes: [
      ['isApplication.errors?.map', 'isApplication.errors.map'],
      ["', '", '""'],
    ],
    why: 'A validator that refuses gives an error, and Ajv, not told allErrors, gives no second one.',
  },
  {
    file: 'functions/store/jobs.ts',
    line: "if (typeof version !== 'number' || !Number.isSafeInteger(version)) throw undecided();",
    changes: [["typeof version !== 'number'", 'false']],
    why: 'What is no number is no safe integer either; only the compiler does not know.',
  },
  {
    file: 'functions/store/project.ts',
    line: "typeof value === 'object' && value !== null && !Array.isArray(value);",
    changes: [['value !== null', 'true']],
    why: 'project() has answered for null before it asks.',
  },
  {
    file: 'functions/contract/operations.ts',
    line: 'export const operationNames = Object.keys(operations).filter(isName);',
    changes: [['Object.keys(operations).filter(isName)', 'Object.keys(operations)']],
    why: 'Every key of an object is its own; the filter tells the compiler.',
  },
];

/** The mutants that the run takes for no change, and holds to the code. */
export const equivalents: readonly Equivalent[] = [
  ...inAuthentication,
  ...inIssuerKeys,
  ...inBodies,
  ...inFailures,
  ...inStore,
].flatMap(({ changes, ...place }) =>
  changes.map(([code, replacement]) => ({ ...place, code, replacement })),
);
