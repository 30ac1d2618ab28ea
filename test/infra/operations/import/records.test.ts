import { describe, expect, it } from 'vitest';
import { jobKey } from '../../../../functions/store/keys.ts';
import { readRecord } from '../../../../infra/operations/import/records.ts';
import { jobRecord } from '../../../support/records.ts';

type Members = Readonly<Record<string, unknown>>;
const read = (record: unknown) => readRecord(Buffer.from(JSON.stringify(record)));
const job = (members: Members) => read(jobRecord(members));

describe('a line of a job', () => {
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
    });
  });

  it('belongs to the tenant "default" if it names none', () => {
    expect(job({})).toHaveProperty('item.tenant_id', 'default');
    expect(job({})).toHaveProperty('item.pk', jobKey('default', '4007').pk);
  });

  it.each([
    [{ tenant: null }, '/tenant must be string'],
    [{ status: 'open' }, '/status must be one of published, closed, archived, draft, paused'],
    [{ status: 5 }, '/status must be one of published, closed, archived, draft, paused'],
    [{ status: undefined }, '/status is required'],
    [{ id: undefined }, '/id is required'],
    [
      { id: 'a/b' },
      '/id must be any string of 1 to 256 bytes of UTF-8 without control characters, and without / or ?, which a path cannot contain',
    ],
    [
      { tenant: '' },
      '/tenant must be any string of 1 to 256 bytes of UTF-8 without control characters',
    ],
    [{ title: 'x' }, '/title is not a known member'],
    [{ version: 0 }, '/version must be >= 1'],
    [{ version: 2 ** 53 - 1 }, '/version must be <= 9007199254740990'],
    [{ fence: -1 }, '/fence must be >= 0'],
    [
      { previous_status: 'open' },
      '/previous_status must be one of published, closed, archived, draft, paused',
    ],
    [{ last_change_id: null }, '/last_change_id must be string'],
  ])('that holds %j is refused', (members, reason) => {
    expect(job(members)).toEqual({ reason });
  });
});

describe('a line', () => {
  it.each(['', ' ', '\t', '\r', '\ufeff', '\ufeff\r'])('that is blank, %j, is nothing', (text) => {
    expect(readRecord(Buffer.from(text))).toBeUndefined();
  });

  it('may begin with a byte order mark and end with a carriage return', () => {
    const line = JSON.stringify({ type: 'job', id: '4007', status: 'draft' });
    expect(readRecord(Buffer.from(`\ufeff${line}\r`))).toEqual(job({}));
  });

  it.each([
    ['{"type":"job"', 'the line is not JSON'],
    ['{"type":"job"} {}', 'the line is not JSON'],
    ['[]', 'the line must be a JSON object'],
    ['null', 'the line must be a JSON object'],
    ['"job"', 'the line must be a JSON object'],
    ['{}', '/type must be one of job, application'],
    ['{"type":"toString"}', '/type must be one of job, application'],
    ['{"type":["job"]}', '/type must be one of job, application'],
  ])('that is %s is refused', (text, reason) => {
    expect(readRecord(Buffer.from(text))).toEqual({ reason });
  });

  it('that is not UTF-8 is refused, and the next one is read', () => {
    const latin1 = Buffer.from('{"type":"job","id":"vag\xe3o","status":"draft"}', 'latin1');
    expect(readRecord(latin1)).toEqual({ reason: 'the line is not UTF-8' });
    expect(job({})).toHaveProperty('item');
  });
});
