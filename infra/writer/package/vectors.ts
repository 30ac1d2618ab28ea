import { getApplication } from '../../../functions/contract/get-application.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { applicationKey, candidateKey, erasureKey, jobKey } from '../../../functions/store/keys.ts';
import { InvalidRecord, liveReader, type ReaderSettings } from '../record-writer.ts';

const NOW = Date.parse('2026-11-01T12:00:00.000Z');
const REVISION = Date.parse('2026-10-31T08:15:30.250Z');

const none: ReaderSettings = { tenantClaim: 'none' };
const files: ReaderSettings = { tenantClaim: 'none', filesBucket: 'example-files' };
const tenants: ReaderSettings = { tenantClaim: 'org_id', filesBucket: 'example-files,old-files' };

const { example } = getApplication.response;
const { user_id, name, email, stage_id, stage_title, created_at } = example;
const least = { job_id: '4007', user_id, name, email, stage_id, stage_title, created_at };
const [evaluation] = example.evaluations;

type Method = 'application' | 'removal' | 'job';
type Call = readonly [method: Method, settings: ReaderSettings, record: object, revision?: unknown];
type Case = Call[2];

const put = (members: Case, settings = none): Call => [
  'application',
  settings,
  { ...least, ...members },
  REVISION,
];

/** Ids of every kind that a record may have. */
const ids = [
  ...[
    '4007',
    'c-1001',
    'gh:4007',
    'a.b',
    '...',
    '.a',
    'a_b~c',
    'A',
    "it's",
    '(1)',
    '*',
    '!',
    'a b',
  ],
  ...[
    '#',
    'a#JOB#b',
    'TENANT#acme#JOB#1',
    'APPLICATION#c-1',
    'JOB',
    'ERASURE',
    '%',
    '%23',
    '%2F',
    '%2e',
  ],
  ...[
    'a+b',
    'a=b&c',
    'YWJj==',
    '@',
    'ana@example.com',
    '+55 11 5550 0101',
    '\\',
    '"',
    '<a>',
    '[1]',
    '{x}',
    '|',
    '^',
    '`',
  ],
  ...['550e8400-e29b-41d4-a716-446655440000', '0', '-1', 'null', '__proto__', 'constructor'],
  ...[
    'é',
    'e\u0301',
    'Ünï',
    '求人',
    '😀',
    'ไทย',
    'עברית',
    'a\u200db',
    'a\u00a0b',
    '❤\ufe0f',
    'x'.repeat(256),
    'é'.repeat(128),
    '求'.repeat(85),
    '😀'.repeat(64),
  ],
];

/** Ids that are refused. */
const badIds = [
  ...[
    '',
    '.',
    '..',
    '/',
    'a/b',
    '?',
    'a?b',
    ' a',
    'a ',
    '\ta',
    'a\n',
    '\u00a0a',
    'a\u00a0',
    'a\u2028',
  ],
  ...[
    '\u200ba',
    'a\u200b',
    '\ufeffa',
    'a\u00ad',
    'a\u3164',
    'a\u2800',
    'a\u0000b',
    'a\u001fb',
    'a\u007fb',
    'a\u0085b',
  ],
  ...['a\ufffd', 'a\ud800', '\udc00a', 'x'.repeat(257), 'é'.repeat(129), '😀'.repeat(65)],
  ...[4007, true, null, ['4007'], { id: '4007' }],
];

const stored: readonly Call[] = [
  ...jobStatuses.map((status): Call => ['job', none, { id: '4007', status }]),
  ['job', none, { type: 'job', tenant: 'default', id: '4007', status: 'draft' }],
  ['job', tenants, { tenant: 'acme', id: '4007', status: 'draft' }],
  put({}),
  put({ type: 'application', tenant: 'default' }),
  put({ ...example }, files),
  ...Object.keys(example)
    .filter((member) => !Object.hasOwn(least, member))
    .map((member) => put({ ...example, [member]: null })),
  put({ education: [{}], experience: [{ title: null }] }),
  put({ evaluations: [{ id: 'ev-1', evaluator: { id: 'u-7', name: null }, score: null }] }),
  put({ evaluations: [{ ...evaluation, submitted_at: '2026-09-20T11:00:00+02:00' }] }),
  ...[
    ...['2026-09-14T12:30:45Z', '2026-09-14T12:30:45.1Z', '2026-09-14T12:30:45.123999Z'],
    ...['2026-09-14T14:30:45.5+02:00', '2026-12-31T22:30:45-03:30', '2026-09-14t12:30:45z'],
    ...['2026-09-14 12:30:45Z', '2026-09-14T12:30:45+0200', '2026-09-14T12:30:45-03'],
    ...['2024-02-29T23:59:59.999Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
  ].map((time) => put({ created_at: time })),
  ...[0, -0.5, 8.5, 1e-130, -1e-130, 9007199254740991, -9007199254740991, 0.1].map((score) =>
    put({ score }),
  ),
  ...['', ' ', 'a\nb', '\u00a0', 'a\u200b', '😀', '{"a":1}', '\u001b[2J'].map((summary) =>
    put({ summary }),
  ),
  ...['ana+jobs@example.com', 'josé@例え.example', 'a@b'].map((one) => put({ email: one })),
  ...['O', '求人', 'Ana ❤\ufe0f', 'Ana\u00a0Example', 'Łukasz'].map((one) => put({ name: one })),
  ...['2010', '2010-12', '2010-12-31'].map((date) => put({ education: [{ start_date: date }] })),
  ...['https://example.com/a b', 'HTTP://example.com', 'https://例え.example/'].map((url) =>
    put({ resume_url: url }),
  ),
  put({ resume_url: 's3://example-files/c-1001.pdf' }, files),
  put({ video_url: 's3://example-files/dir/ñ %20 #.mp4' }, files),
  put({ video_url: `s3://example-files/${'é'.repeat(512)}` }, files),
  put({ tenant: 'acme', resume_url: 's3://old-files/acme/c-1001.pdf' }, tenants),
  put({ tenant: 'a#b', resume_url: 's3://example-files/a%23b/c-1001.pdf' }, tenants),
  put({}, { ...none, expireAfterDays: 365 }),
  put({ created_at: '2026-09-14T12:30:45.999Z' }, { ...none, expireAfterDays: 30_000 }),
  put({ created_at: '2001-01-01T00:00:00Z' }, { ...none, expireAfterDays: 1 }),
  put({ created_at: '2500-03-01T00:00:00Z' }, { ...none, expireAfterDays: 1 }),
  put({ expires_at: 4_102_444_800 }, { ...none, expireAfterDays: 365 }),
  put({ expires_at: 0 }),
  put({ expires_at: 253_402_300_799 }),
  ['application', none, least, 1_000_000_000_000],
  ['application', none, least, 253_402_300_799_999],
  ['removal', none, { job_id: '4007', user_id: 'c-1001' }, REVISION],
  ['removal', none, { type: 'removal', job_id: '4007', user_id: 'c-1001' }, REVISION],
  ['removal', { ...none, tombstoneDays: 90 }, { job_id: '4007', user_id: 'c-1001' }, REVISION],
  ['removal', tenants, { tenant: 'acme', job_id: 'a b', user_id: 'é' }, REVISION],
];

const refused: readonly Call[] = [
  ...badIds.map((id): Call => ['job', none, { id, status: 'draft' }]),
  ...badIds.slice(0, 12).map((id) => put({ user_id: id })),
  ...['', ' a', 'a\u00a0', 'a\nb', 'a\ufffd', 'x'.repeat(257), 4].map((tenant) =>
    put({ tenant }, tenants),
  ),
  ...badIds
    .slice(0, 4)
    .map((id): Call => ['removal', none, { job_id: id, user_id: 'c-1' }, REVISION]),
  ...['open', '', null, 1].map((status): Call => ['job', none, { id: '4007', status }]),
  ['job', none, { id: '4007', status: 'draft', version: 2 }],
  ['job', none, { id: '4007', status: 'draft', title: 'x' }],
  ['job', none, { type: 'application', id: '4007', status: 'draft' }],
  ['job', none, { tenant: 'acme', id: '4007', status: 'draft' }],
  ['job', tenants, { id: '4007', status: 'draft' }],
  ['removal', tenants, { job_id: '4007', user_id: 'c-1' }, REVISION],
  ['removal', none, least, REVISION],
  ['removal', none, { job_id: '4007', user_id: 'c-1', expires_at: 4_102_444_800 }, REVISION],
  ['removal', none, { job_id: '4007', user_id: 'c-1' }, 1_790_000_000],
  ...[null, true, 1_790_000_000, 1_790_000_000_000.5, '1790000000000', 253_402_300_800_000].map(
    (revision): Call => ['application', none, least, revision],
  ),
  ...Object.keys(least).map((member) => put({ [member]: null })),
  ...[
    ...['ana', '@example.com', 'ana@', 'ana@ ', ' ana@example.com', 'ana@example.com\u00a0'],
    ...['Ana <ana@example.com>', 'ana@example.com,rui@example.com', 'a@b.example;c@d.example'],
    ...['ana@example.com rui@example.com', 'ana@@example.com', '\u200bana@example.com', ''],
  ].map((one) => put({ email: one })),
  ...['', ' ', ' Ana', 'Ana ', 'Ana\u00a0', 'Ana\u3164', '\ufeffAna', 'An\ufffd', 'A\u0000'].map(
    (one) => put({ name: one }),
  ),
  ...['', ' ', 'Interview\n'].flatMap((one) => [put({ stage_id: one }), put({ stage_title: one })]),
  ...['a\u0000', 'S\ufffdo Paulo', '\ud800'].map((summary) => put({ summary })),
  ...[
    ...['2026-09-14', '2026-09-14T12:30:45', '2026-02-30T00:00:00Z', '2026-09-14T24:00:00Z'],
    ...[
      '2026-09-14T12:30:60Z',
      '2026-09-14T12:30Z',
      '9999-12-31T23:59:59-01:00',
      '0000-01-01T00:00:00+01:00',
      '2026-09-14T12:30:45Z\n',
      '２０２６-09-14T12:30:45Z',
      'yesterday',
      1_789_389_045,
    ],
  ].map((time) => put({ created_at: time })),
  ...['8.5', 9007199254740992, 9e-131, true].map((score) => put({ score })),
  ...['2019-13', '2019-02-32', '19', '2019\n', '２０１９', 2019].map((date) =>
    put({ experience: [{ end_date: date }] }),
  ),
  put({ evaluations: [{ ...evaluation, recommendation: 'maybe' }] }),
  put({ evaluations: [{}, {}, {}] }),
  put({ evaluations: {} }),
  put({ education: [null] }),
  put({ education: [{ school: 'x' }] }),
  put({ phone: 5 }),
  put({ name: '', email: 'ana', score: '8.5' }),
  put({ type: 'job' }),
  put({ tenant: null }),
  put({ 'a/b~c': 1 }),
  put({ phnoe: '+55 11 5550 0101' }),
  put({ pk: 'TENANT#acme#JOB#1' }),
  put({ revision: REVISION }),
  ...[1.5, -1, NOW, '4102444800'].map((expires_at) => put({ expires_at })),
  ...['javascript:alert(1)', 'https://', 'ftp://example.com', 's3://example-files', ''].map((url) =>
    put({ resume_url: url }, files),
  ),
  ...[
    ...['s3://example-files/../a', 's3://example-files/a?b', 's3://other-files/a'],
    ...['s3://example-files/a\n', 's3://example/a', `s3://example-files/${'é'.repeat(513)}`],
    ...['https://example.com/\ufffd', 'https://example.com/\ud800'],
  ].map((url) => put({ resume_url: url }, files)),
  put({ resume_url: 's3://example-files/c-1001.pdf' }),
  put({ tenant: 'acme', video_url: 's3://example-files/other/a.mp4' }, tenants),
  put({ tenant: 'acme', video_url: 's3://example-files/acme' }, tenants),
  put({ summary: 'x'.repeat(409_600) }),
  put({ summary: 'é'.repeat(204_800) }),
];

const methods = { application: 'putApplication', removal: 'removeApplication', job: 'createJob' };

/** Returns the golden vectors for writers in other languages. */
export function recordVectors() {
  return {
    description:
      'What a writer must do. keys: the keys of ids. stored: the item that a call stores where there is none. ' +
      'refused: the first five invalid members of a call, as JSON Pointers, and what they must be; an empty pointer is the ' +
      'whole record. settings are those of docs/live-data.md. now and revision are milliseconds ' +
      'since 1970; now is the present time of the call. A text of one repeated character is {"repeat": [character, count]}.',
    keys: ids.map((id) => ({
      id,
      job: jobKey(id, id),
      application: applicationKey(id, id, id),
      ...candidateKey(id, id),
      erasure: erasureKey(id, id),
    })),
    stored: stored.map((call) => {
      const { item } = read(call);
      return { ...described(call), item };
    }),
    refused: refused.map((call) => ({ ...described(call), faults: faultsOf(call) })),
  };
}

export type Vectors = ReturnType<typeof recordVectors>;

const described = ([method, settings, record, revision]: Call) => ({
  call: methods[method],
  settings,
  now: NOW,
  record: short(record),
  ...(revision !== undefined && { revision }),
});

function read([method, settings, record, revision]: Call) {
  return liveReader(settings, () => NOW)[method](record, revision);
}

function faultsOf(call: Call) {
  try {
    read(call);
  } catch (error) {
    if (error instanceof InvalidRecord) return error.faults;
    throw error;
  }
  throw new Error(`This call is not refused: ${JSON.stringify(call)}.`);
}

/** A record in which long repetitions are abbreviated. */
const short = (record: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(record).map(([member, value]) => {
      const isLong = typeof value === 'string' && value.length > 1000;
      return [member, isLong ? { repeat: [value[0], value.length] } : value];
    }),
  );

/** The vectors as they are written: one on each line, so that a change shows which differ. */
export function vectorsText(): string {
  const { description, ...lists } = recordVectors();
  const parts = Object.entries(lists).map(([list, vectors]) => {
    const lines = vectors.map((vector) => `    ${JSON.stringify(vector)}`);
    return `  ${JSON.stringify(list)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n  "description": ${JSON.stringify(description)},\n${parts.join(',\n')}\n}\n`;
}
