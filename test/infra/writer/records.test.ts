import { describe, expect, it } from 'vitest';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { applicationKey, candidateKey, jobKey } from '../../../functions/store/keys.ts';
import { reasonOf } from '../../../infra/writer/faults.ts';
import { readRecord } from '../../../infra/writer/records.ts';
import { itemBytes } from '../../../infra/writer/storable.ts';
import { fullApplication, leastApplication } from '../../support/items.ts';
import { applicationRecord, jobRecord } from '../../support/records.ts';

type Members = Readonly<Record<string, unknown>>;
const read = (record: Members) => {
  const result = readRecord(record);
  return 'faults' in result ? { reason: reasonOf(result) } : result;
};
const job = (members: Members) => read(jobRecord(members));
const application = (members: Members) => read(applicationRecord(members));
const without = (name: string, members: object) =>
  Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));

const mandatory = Object.keys(leastApplication);
const optional = Object.keys(fullApplication).filter((name) => !mandatory.includes(name));
const [education] = fullApplication.education;
const [experience] = fullApplication.experience;
const [evaluation] = fullApplication.evaluations;
const ID_RULE = '1 to 256 bytes of UTF-8 without control characters';
const ENDS_RULE = 'without spaces or invisible characters at its ends';
const PATH_RULE = `${ID_RULE}, without / or ?, ${ENDS_RULE}, and not . or .., which a path cannot contain`;
const TEXT_RULE =
  'must be Unicode text without NUL, unpaired surrogates, and U+FFFD, which a wrong encoding';

describe('a job', () => {
  it('becomes an item of exactly these attributes', () => {
    expect(read({ type: 'job', tenant: 'acme', id: 'gh:4007', status: 'published' })).toEqual({
      kind: 'job',
      item: {
        ...jobKey('acme', 'gh:4007'),
        tenant_id: 'acme',
        job_id: 'gh:4007',
        status: 'published',
        version: 1,
      },
      hasOwnExpiry: false,
    });
    expect(job({})).toHaveProperty('item.tenant_id', 'default');
  });

  it.each([
    [{ tenant: null }, `/tenant must be string`],
    [{ tenant: '' }, `/tenant must be ${ID_RULE}, and ${ENDS_RULE}`],
    [{ status: 'open' }, `/status must be one of ${jobStatuses.join(', ')}`],
    [{ status: undefined }, '/status is required'],
    [{ id: undefined }, '/id is required'],
    [{ title: 'x' }, '/title is not a known member'],
    [{ version: 0 }, '/version must be >= 1'],
    [{ version: 2 ** 53 - 1 }, '/version must be <= 9007199254740990'],
    [{ fence: -1 }, '/fence must be >= 0'],
    [{ last_change_id: null }, '/last_change_id must be string'],
  ])('that holds %j is refused', (members, reason) => {
    expect(job(members)).toEqual({ reason });
  });
});

describe('an id', () => {
  it.each([
    ...['', 'a/b', 'a?', '.', '..', ' a', 'a\n', 'a\u00a0', '\u200ba', 'a\ufffdb', 'a\ud800'],
    'é'.repeat(129),
  ])('that is %j is refused', (id) => {
    expect(job({ id })).toEqual({ reason: `/id must be ${PATH_RULE}` });
  });

  it.each(['gh:4007', '...', 'a b', '求人😀', "a'b", '%2e', 'é'.repeat(128)])('may be %j', (id) => {
    expect(job({ id })).toHaveProperty('item.job_id', id);
  });
});

describe('an e-mail address', () => {
  it.each([
    ...['not an email', '@example.com', 'ana@ ', 'ana@example.com ', 'ana@\u00a0example.com'],
    ...['Ana <ana@example.com>', 'ana@example.com,rui@example.com', 'a@example.com;b@example.com'],
    ...['ana@example.com rui@example.com', 'ana@@example.com', '\u200bana@example.com'],
  ])('that is %j is refused', (email) => {
    const reason = expect.stringMatching(/^\/email must be one e-mail address, with @ between/);
    expect(application({ email })).toEqual({ reason });
  });

  it.each(['ana+jobs@example.com', 'josé@例え.example', 'a@b'])('may be %s', (email) => {
    expect(application({ email })).toHaveProperty('item.email', email);
  });
});

describe('an application', () => {
  it('becomes an item of its keys, its tenant, its job and its fields as they are given', () => {
    const fields = { ...fullApplication, expires_at: 4_102_444_800 };
    expect(
      read({ type: 'application', tenant: 'acme', job_id: 'gh:4007', ...fields }),
    ).toStrictEqual({
      kind: 'application',
      item: {
        ...applicationKey('acme', 'gh:4007', 'c-1'),
        ...candidateKey('acme', 'c-1'),
        tenant_id: 'acme',
        job_id: 'gh:4007',
        ...fields,
      },
      hasOwnExpiry: true,
    });
  });

  it.each([...mandatory, 'job_id'])('without its %s is refused', (name) => {
    const line = { type: 'application', job_id: '4007', ...fullApplication };
    expect(read(without(name, line))).toEqual({ reason: `/${name} is required` });
    expect(application({ [name]: null })).toHaveProperty('reason');
  });

  it.each([...optional, 'expires_at'])('may have null for its %s, which is not stored', (name) => {
    expect(application({ [name]: null })).toStrictEqual(application({}));
  });

  it('may have entries of which all that may be null is missing or null', () => {
    const least = { id: 'ev-1', evaluator: { id: 'u-7', name: null }, score: null };
    const line = { education: [{}], experience: [{ title: null }], evaluations: [least] };
    const stored = application(line);
    expect(stored).toHaveProperty('item.education', [{}]);
    expect(stored).toHaveProperty('item.experience', [{}]);
    expect(stored).toHaveProperty('item.evaluations', [{ id: 'ev-1', evaluator: { id: 'u-7' } }]);
  });

  it.each([
    [{ phnoe: '1' }, '/phnoe is not a known member'],
    [{ pk: 'TENANT#acme#JOB#1' }, '/pk is not a known member'],
    [{ education: [education, { ...education, shcool: 'x' }] }, '/education/1/shcool is not'],
    [{ evaluations: [{ ...evaluation, evaluator: { id: 'u', email: 'x' } }] }, 'email is not'],
    [{ email: 5 }, '/email must be string'],
    [{ name: '' }, `/name ${TEXT_RULE}`],
    [{ name: ' Ana Example' }, `/name ${TEXT_RULE}`],
    [{ name: 'Ana Example\u00a0' }, `/name ${TEXT_RULE}`],
    [{ name: 'Ana Example\u3164' }, `/name ${TEXT_RULE}`],
    [{ stage_id: '' }, `/stage_id ${TEXT_RULE}`],
    [{ stage_title: ' ' }, `/stage_title ${TEXT_RULE}`],
    [{ summary: 'a\u0000' }, `/summary ${TEXT_RULE}`],
    [{ summary: 'S\ufffdo Paulo' }, `/summary ${TEXT_RULE}`],
    [{ experience: [{ title: 'a\ufffd' }] }, `/experience/0/title ${TEXT_RULE}`],
    [{ resume_url: 'https://example.com/a\ufffd' }, '/resume_url must be an address'],
    [{ revision: 1_789_389_045 }, '/revision must be whole milliseconds since 1970, from'],
    [{ revision: 1_789_389_045_123_000 }, '/revision must be whole milliseconds since 1970, from'],
    [{ revision: '1789389045123' }, '/revision must be whole milliseconds since 1970, from'],
    [{ phone: 5 }, '/phone must be string or null'],
    [{ score: '8.5' }, '/score must be number or null'],
    [{ education: [null] }, '/education/0 must be object'],
    [{ created_at: '2026-09-14' }, '/created_at must be a date and time with its offset from UTC'],
    [{ created_at: 1_789_389_045 }, '/created_at must be a date and time with its offset from'],
    [{ experience: [{ ...experience, start_date: '2019-13' }] }, 'must be YYYY, YYYY-MM or YYYY-'],
    [{ evaluations: [{ ...evaluation, recommendation: 'maybe' }] }, 'must be one of strong_yes,'],
    [{ expires_at: 1.5 }, '/expires_at must be whole seconds since 1970'],
    [{ expires_at: Date.now() }, '/expires_at must be whole seconds since 1970'],
    [{ resume_url: 'javascript:alert(1)' }, '/resume_url must be an address that begins with http'],
    [{ video_url: 'https://' }, '/video_url must be an address that begins with https:// or http'],
    [{ resume_url: 's3://bucket' }, '/resume_url must be an address that begins with https:// or'],
    [{ video_url: 's3://bucket/../key' }, 'or s3://BUCKET/KEY, with a key of at most 1024 bytes'],
    [{ job_id: 'YWJj+/==' }, 'without / or ?, without spaces'],
    [{ user_id: '..' }, 'and not . or .., which a path cannot contain'],
    [{ name: 'a\ud800' }, `/name ${TEXT_RULE}`],
    [{ summary: 'é'.repeat(204_800) }, 'larger than a DynamoDB item may be, 409600 bytes'],
  ])('that holds %j is refused with the pointer and what is expected', (members, reason) => {
    expect(application(members)).toEqual({ reason: expect.stringContaining(reason) });
  });

  it.each([
    ['2026-09-14T12:30:45Z', '2026-09-14T12:30:45.000Z'],
    ['2026-09-14T12:30:45.123999Z', '2026-09-14T12:30:45.123Z'],
    ['2026-09-14T14:30:45.5+02:00', '2026-09-14T12:30:45.500Z'],
    ['2026-12-31T22:30:45-03:30', '2027-01-01T02:00:45.000Z'],
  ])('may have the time %s, which is stored as the contract has it', (given, stored) => {
    const evaluations = [{ ...evaluation, submitted_at: given }];
    const record = application({ created_at: given, evaluations });
    expect(record).toHaveProperty('item.created_at', stored);
    expect(record).toHaveProperty('item.evaluations.0.submitted_at', stored);
  });

  it.each(['2026-09-14T12:30:45', '9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'])(
    'is refused for the time %s',
    (created_at) => {
      expect(application({ created_at })).toHaveProperty('reason');
    },
  );

  it.each([
    9007199254740992,
    -9007199254740992,
    9e-131,
    -5e-324,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ])('may not have the score %s, which DynamoDB cannot hold', (score) => {
    expect(application({ score })).toEqual({ reason: expect.stringMatching(/^\/score must be /) });
  });
});

describe('the reason of a refusal', () => {
  const canary = 'canary@example.com';

  it.each([
    ...Object.keys(fullApplication),
    ...['tenant', 'job_id', 'expires_at', 'education/0', 'evaluations/0'],
  ])('never shows a value if %s is invalid', (path) => {
    const [name = '', entry] = path.split('/');
    for (const value of [{ value: canary }, [canary], [[canary]], `${canary}\u0000\ud800`]) {
      const result = application({ [name]: entry === undefined ? value : [value] });
      expect(result).toHaveProperty('reason', expect.stringContaining(`/${name}`));
      const entryNames = JSON.stringify(result).replaceAll('/value is not a known member', '');
      expect(entryNames).not.toContain('canary');
    }
  });

  it('writes a name as a JSON Pointer that is safe in a terminal, and cuts a long one', () => {
    const reason =
      '/a~1b~0c is not a known member; /%1B[2J%E2%80%AEx%E3%85%A4y is not a known member';
    expect(job({ 'a/b~c': 1, '\u001b[2J\u202ex\u3164y': 1 })).toEqual({ reason });
    const long = `/${'x'.repeat(64)}… is not a known member`;
    expect(job({ ['x'.repeat(1000)]: 1 })).toEqual({ reason: long });
  });
});

describe('the bytes of an item', () => {
  it('are those of names and text, the overhead of lists and maps, and the longest numbers', () => {
    expect(itemBytes({ é: 'é', b: true })).toBe(2 + 2 + 1 + 1);
    expect(itemBytes({ list: [], map: {}, n: 1 })).toBe(4 + 3 + 3 + 3 + 1 + 21);
    const map = 3 + (1 + 1 + 1);
    expect(itemBytes({ list: [{ b: 'x' }, 'y'] })).toBe(4 + 3 + (1 + map) + (1 + 1));
  });
});
