import { describe, expect, it } from 'vitest';
import { applicationKey, candidateKey } from '../../../../functions/store/keys.ts';
import { readRecord } from '../../../../infra/operations/import/records.ts';
import { fullApplication, leastApplication } from '../../../support/items.ts';
import { applicationRecord } from '../../../support/records.ts';

type Members = Readonly<Record<string, unknown>>;
const read = (record: unknown) => readRecord(Buffer.from(JSON.stringify(record)));
const application = (members: Members) => read(applicationRecord(members));
const without = (name: string, members: object) =>
  Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));

const mandatory = Object.keys(leastApplication);
const lists = ['education', 'experience', 'evaluations'];
const optional = Object.keys(fullApplication).filter((name) => !mandatory.includes(name));
const [education] = fullApplication.education;
const [experience] = fullApplication.experience;
const [evaluation] = fullApplication.evaluations;

describe('a line of an application', () => {
  it('becomes an item of its keys, its tenant, its job and its fields as they are given', () => {
    const line = {
      ...{ type: 'application', tenant: 'acme', job_id: 'gh:4007', expires_at: 4_102_444_800 },
      ...fullApplication,
    };
    expect(read(line)).toStrictEqual({
      kind: 'application',
      item: {
        ...applicationKey('acme', 'gh:4007', 'c-1'),
        ...candidateKey('acme', 'c-1'),
        tenant_id: 'acme',
        job_id: 'gh:4007',
        ...fullApplication,
        expires_at: 4_102_444_800,
      },
    });
  });

  it('needs no more than the fields that are never null', () => {
    expect(application({})).toStrictEqual({
      kind: 'application',
      item: {
        ...applicationKey('default', '4007', 'c-1'),
        ...candidateKey('default', 'c-1'),
        tenant_id: 'default',
        job_id: '4007',
        ...leastApplication,
      },
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

  it.each(lists)('may have an empty list for its %s', (name) => {
    expect(application({ [name]: [] })).toHaveProperty(`item.${name}`, []);
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
    [{ phnoe: '1' }, '/phnoe'],
    [{ pk: 'TENANT#acme#JOB#1' }, '/pk'],
    [{ tenant_id: 'acme' }, '/tenant_id'],
    [{ education: [education, { ...education, shcool: 'x' }] }, '/education/1/shcool'],
    [{ experience: [{ ...experience, salary: 1 }] }, '/experience/0/salary'],
    [{ evaluations: [{ ...evaluation, votes: 1 }] }, '/evaluations/0/votes'],
    [
      { evaluations: [{ ...evaluation, evaluator: { id: 'u', email: 'x' } }] },
      '/evaluations/0/evaluator/email',
    ],
  ])('that holds the unknown member of %j is refused', (members, pointer) => {
    expect(application(members)).toEqual({ reason: `${pointer} is not a known member` });
  });

  it('is refused for a member called __proto__', () => {
    const line = Buffer.from('{"type":"job","id":"1","status":"draft","__proto__":{"id":"2"}}');
    expect(readRecord(line)).toEqual({ reason: '/__proto__ is not a known member' });
  });

  it.each([
    [{ email: 5 }, '/email must be string'],
    [{ phone: 5 }, '/phone must be string or null'],
    [{ score: '8.5' }, '/score must be number or null'],
    [{ education: {} }, '/education must be array or null'],
    [{ education: [null] }, '/education/0 must be object'],
    [
      { created_at: '2026-09-14' },
      '/created_at must be a date and time with its offset from UTC, such as 2026-09-14T12:30:45.123Z',
    ],
    [
      { experience: [{ start_date: '2019-13' }] },
      '/experience/0/start_date must be YYYY, YYYY-MM or YYYY-MM-DD',
    ],
    [
      { evaluations: [{ ...evaluation, recommendation: 'maybe' }] },
      '/evaluations/0/recommendation must be one of strong_yes, yes, no_decision, no, definitely_not, null',
    ],
    [
      { evaluations: [without('evaluator', { ...evaluation })] },
      '/evaluations/0/evaluator is required',
    ],
    [{ expires_at: 1.5 }, '/expires_at must be integer or null'],
    [{ expires_at: -1 }, '/expires_at must be >= 0'],
  ])('that holds %j is refused with the pointer and what is expected', (members, reason) => {
    expect(application(members)).toEqual({ reason });
  });

  it('is refused if it would expire at milliseconds instead of seconds', () => {
    expect(application({ expires_at: Date.now() })).toHaveProperty('reason');
    expect(application({ expires_at: Math.floor(Date.now() / 1000) })).toHaveProperty('item');
  });

  it.each(['tenant', 'job_id', 'user_id'])('needs a %s that the API can be asked for', (name) => {
    for (const value of ['', '\u0000', 'a\nb', 'é'.repeat(129), '\ud800']) {
      expect(application({ [name]: value })).toHaveProperty('reason');
    }
    for (const value of ['gh:4007', 'a#b', '..', ' ', 'é'.repeat(128), '求人']) {
      expect(application({ [name]: value })).toHaveProperty('item');
    }
  });

  it.each(['job_id', 'user_id'])('is refused if its %s cannot stand in a path', (name) => {
    for (const value of ['a/b', '/', 'YWJj+/==', 'what?']) {
      const reason = expect.stringMatching(`/${name} must be .* without / or \\?`);
      expect(application({ [name]: value })).toEqual({ reason });
    }
    expect(application({ tenant: 'org/unit?' })).toHaveProperty('item');
  });

  it.each([
    ['2026-09-14T12:30:45Z', '2026-09-14T12:30:45.000Z'],
    ['2026-09-14T12:30:45.5Z', '2026-09-14T12:30:45.500Z'],
    ['2026-09-14T12:30:45.123999Z', '2026-09-14T12:30:45.123Z'],
    ['2026-09-14T14:30:45.123+02:00', '2026-09-14T12:30:45.123Z'],
    ['2026-12-31T22:30:45-03:30', '2027-01-01T02:00:45.000Z'],
  ])('may have the time %s, which is stored as the contract has it', (given, stored) => {
    const record = application({
      created_at: given,
      evaluations: [{ ...evaluation, submitted_at: given }],
    });
    expect(record).toHaveProperty('item.created_at', stored);
    expect(record).toHaveProperty('item.evaluations.0.submitted_at', stored);
  });

  it.each([
    '2026-02-30T12:30:45Z',
    '2026-09-14T24:00:00Z',
    '2026-09-14T12:30:45',
    '2026-09-14T12:30Z',
    '2026-09-14T12:30:45+25:00',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '14.09.2026 12:30:45',
  ])('is refused for the time %s', (created_at) => {
    expect(application({ created_at })).toHaveProperty('reason');
  });
});
