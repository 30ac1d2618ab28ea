import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine } from '../../../../infra/data/import/parse-line.ts';
import { isPartialDate } from '../../../../infra/data/records/storable.ts';
import { seed } from '../../../security/random-cases.ts';
import { applicationLine, jobLine } from '../../../support/records.ts';

const reasonOf = (line: string) => {
  const read = parseLine(Buffer.from(line));
  return read && 'reason' in read ? read.reason : undefined;
};
const refusal = (members: Readonly<Record<string, unknown>>) =>
  reasonOf(applicationLine('c-1', members));

it.each<[member: string, value: unknown, reason: RegExp]>([
  ['linked_in', 'javascript:alert(1)', /^\/linked_in must be host and path, such as linkedin\.exa/],
  ['linked_in', 'linkedin.example.com/in/ana?trk=x', /, without \? or # and what follows$/],
  [
    'resume_url',
    'https://a.example,https://b.example',
    /^\/resume_url .*\.mp4, .*: this may be two addresses$/,
  ],
  ['resume_url', 'www.example.com/v', /: this one does not begin with https:\/\/, .* or s3:\/\/$/],
  ['resume_url', 'ftp://a.example/v', /: this one does not begin with https:\/\/, /],
  ['resume_url', 'https://a.example:99999/v', /: this one has no valid host or port$/],
  [
    'resume_url',
    's3://files/a/../b',
    /: this one is not s3:\/\/BUCKET\/KEY, with a key of at most 1024 bytes /,
  ],
  ['resume_url', 'https://a.example/my cv', /: this one has a space, /],
  ['resume_url', 'https://ana:x@a.example', /: this one has a name or password before its host$/],
  ['resume_url', 'https://a.example:/cv', /: this one has an empty port$/],
  ['resume_url', 'https:///cv.pdf', /: this one has no valid host or port$/],
  ['phone', '011 5550', / must be an international number of \+ and 7 to 15 digits, such as /],
  ['created_at', '0026-09-14T12:30:45Z', /1900 or later: was the year written with two digits\?$/],
  [
    'email',
    'mailto:ana@example.com',
    /^\/email must be one plain address, such as ana@example\.com$/,
  ],
  ['summary', '10 \u0096 12', / must be Unicode text .* traces of a wrong encoding\)$/],
  ['name', 'Jos\u0082', /^\/name must be Unicode text .* traces of a wrong encoding\), /],
  ['job_id', 'a\u0096', /^\/job_id must be .* which a wrong encoding leaves, /],
  ['education', [{ start_date: '2016-02-31' }], /must be .*, a real date, not in the year 0000$/],
  ['job_id', 'gh%3A1', /^\/job_id must be .*, because no request can address these$/],
  ['job_id', '1.23457E+11', / in another notation, .* by formatting the column as text$/],
])(
  'a line whose %s is %j is refused with a reason that says what to do',
  (member, value, reason) => {
    expect(refusal({ [member]: value })).toMatch(reason);
  },
);

it('a revision or an expiry that is null counts as missing', () => {
  const line = applicationLine('c-1', { revision: null, expires_at: null });
  expect(parseLine(Buffer.from(line))).toEqual(parseLine(Buffer.from(applicationLine('c-1'))));
});

describe('an id that is a number in another notation', () => {
  const short = '1.23457E+11';

  it.each([
    ['job', jobLine(short)],
    ['candidate', applicationLine(short)],
    ['job of an application', applicationLine('c-1', { job_id: '9,1E+15' })],
    ['tenant', applicationLine('c-1', { tenant: short })],
  ])('cannot name a %s', (_, line) => {
    expect(reasonOf(line)).toContain(' looks like a number in another notation');
  });

  it.each([
    '1.2345678901234568e+17',
    '12345.0',
    '12345,00',
    '12.3457E+10',
    '1E+11',
    '1.5e3',
    '12e-3',
    'gh:1.23e+17',
    'a:b:12345.0',
    'gh-1.2E+11',
    '-1.2E+11',
    '1.2+E11',
    'ID1E+11',
    'ID12345.0',
    'REQ-2024.0',
  ])('is %s', (id) => {
    expect(reasonOf(applicationLine(id))).toContain('/user_id looks like a number');
  });

  it.each([
    '12345',
    '50712345e678',
    '1.23457E+11x',
    '2024.1',
    '10.0.0.0',
    'gh:4007',
    'a-12e5',
    'v1.0',
    'REQ-7.0',
    '3f2504e0-4f89-11d3-9a1e-030582823301',
  ])('is not %s', (id) => {
    expect(reasonOf(applicationLine(id))).toBeUndefined();
  });
});

describe('an id that stands for a missing value', () => {
  it.each([
    'NULL',
    '(null)',
    '<None>',
    'nil',
    'NaN',
    'N/A',
    '#N/A',
    'undefined',
    '(blank)',
    '\\N',
    '-',
    '...',
    '--/--',
    '?',
    '#REF!',
    '#NAME?',
    '#DIV/0!',
  ])('is refused: %s', (id) => {
    expect(reasonOf(applicationLine(id))).toMatch(/^\/user_id is what programs write/);
    expect(reasonOf(applicationLine('c-1', { job_id: id }))).toMatch(/^\/job_id is what/);
    expect(reasonOf(applicationLine('c-1', { tenant: id }))).toMatch(/^\/tenant is what/);
    expect(reasonOf(jobLine(id))).toMatch(/^\/id is what programs write/);
  });

  it.each(['#4007', 'Nilsson', 'none-1', 'blank2', 'NAN-7', 'é', '😀', '#a1b2', 'n'])(
    'is not %s',
    (id) => {
      expect(reasonOf(applicationLine(id))).toBeUndefined();
    },
  );
});

describe.each(['1.23457E+11', 'NULL', '-'])('what no line may be about, such as %s,', (id) => {
  it('may be any id that does not say whose item it is', () => {
    const evaluation = { id, evaluator: { id }, rubric_id: id };
    expect(refusal({ stage_id: id, evaluations: [evaluation] })).toBeUndefined();
  });

  it('may be in a removal or an erasure, because it may be stored', () => {
    const guard = { user_id: id, revision: 1_793_434_530_250, expires_at: 4_102_444_800 };
    expect(reasonOf(JSON.stringify({ type: 'removal', job_id: id, ...guard }))).toBeUndefined();
    expect(reasonOf(JSON.stringify({ type: 'erasure', ...guard }))).toBeUndefined();
  });
});

describe('a number', () => {
  const scoreOf = (literal: string) =>
    applicationLine('c-1', { score: 7 }).replace(':7', `:${literal}`);
  const LOST =
    '/score must be 0, or from 1e-130 to 9007199254740991, or the negative of such a number, without digits that a double-precision number loses (15 always fit)';

  it.each([
    '8.5',
    '8.50',
    '0.85e1',
    '85E-1',
    '-0',
    '0.0000000000000000000',
    '0.30000000000000004',
    '1000000000000000e-15',
    '8.5000000000000000000000',
    '9007199254740991',
    '-1e-130',
  ])('that JavaScript keeps is stored: %s', (literal) => {
    expect(reasonOf(scoreOf(literal))).toBeUndefined();
  });

  it.each([
    '8.12345678901234567890',
    '0.1000000000000000055511151231257827',
    '9007199254740993',
    '9007199254740.993',
    '9007199254740993e-3',
    '123456789.123456789123',
    '1234567890123456789e-10',
    '1e-400',
    '1e400',
    `1${'0'.repeat(100_000)}1e-100001`,
  ])('that JavaScript rounds is refused: %s', (literal) => {
    expect(reasonOf(scoreOf(literal))).toBe(LOST);
  });

  it('that JavaScript rounds is refused in an entry of a list, and in a whole number', () => {
    const line = applicationLine('c-1', {
      revision: 1_793_434_530_250,
      evaluations: [{ id: 'ev-1', evaluator: { id: 'u-1' }, score: 7 }],
    });
    expect(reasonOf(line.replace(':7', ':7.00000000000000000001'))).toContain(
      '/evaluations/0/score must',
    );
    expect(reasonOf(line.replace('0250,', '0250.00000000000001,'))).toContain(
      '/revision must be whole',
    );
  });

  it('of digits in a text is not a number', () => {
    expect(refusal({ summary: 'x, 12345678901234567890.1 and "1e-400"' })).toBeUndefined();
  });

  it('that JavaScript wrote is never refused, and one with other digits always is', () => {
    const doubles = fc.double({ min: 1e-129, max: Number.MAX_SAFE_INTEGER, noNaN: true });
    fc.assert(
      fc.property(doubles, (value) => {
        expect(reasonOf(scoreOf(String(value)))).toBeUndefined();
        const [digits, exponent = '0'] = value.toExponential(20).split('e');
        expect(reasonOf(scoreOf(`${digits}1e${exponent}`))).toBe(LOST);
      }),
      { seed: seed() },
    );
  });
});

it('a partial date is of a day that exists, in every year but 0000', () => {
  const exists = (text: string) =>
    !text.startsWith('0000') &&
    (new Date(`${text}T00:00:00.000Z`).toJSON()?.startsWith(text) ?? false);
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  const different: string[] = [];
  for (const century of [0, 100, 1900, 2000, 2100, 9900]) {
    for (let at = 0; at < 100 * 14 * 33; at += 1) {
      const [year, month, day] = [
        century + Math.floor(at / (14 * 33)),
        Math.floor(at / 33) % 14,
        at % 33,
      ];
      const text = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
      if (isPartialDate(text) !== exists(text)) different.push(text);
    }
  }
  expect(different).toEqual([]);
});
