import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { applicationItem as newApplicationItem } from '../../../functions/store/items.ts';
import { keyAttributes } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { nowInSeconds } from '../../support/issuer.ts';
import { applicationItem, fullApplication } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

describe('a stored application', async () => {
  const service = await startProxiedService();

  const read = (candidate: string) =>
    service.getApplication({ pathParameters: { id: 'j-1', candidate_id: candidate } });
  const store = (candidate: string, members: Readonly<Record<string, unknown>>) =>
    service.table.put(applicationItem({ candidate }, { ...fullApplication, ...members }));

  it('has its tenant, its job and the key of the index by candidate', async () => {
    const resume_url = 'https://例え.example/履歴書.pdf';
    const fields = { ...fullApplication, user_id: 'c-9', resume_url };
    const item = newApplicationItem('default', 'j-1', 'c-9', fields);
    expect(item).toEqual({
      pk: 'TENANT#default#JOB#j-1',
      sk: 'APPLICATION#c-9',
      candidate_pk: 'TENANT#default#CANDIDATE#c-9',
      tenant_id: 'default',
      job_id: 'j-1',
      ...fields,
    });
    await service.table.put(item);
    expect((await read('c-9')).body).toEqual(fields);
  });

  it.each([
    ['a second ago', -1, 404],
    ['in a minute', 60, 200],
  ])(
    'that expires %s is there or not, whether DynamoDB has deleted it or not',
    async (_, in_s, status) => {
      await store('mortal', { [keyAttributes.timeToLive]: nowInSeconds() + in_s });
      const response = await read('mortal');
      expect(response.status).toBe(status);
      if (status === 404) expect(response.body).toEqual(problemBody('application_not_found'));
    },
  );

  it('is gone in the very millisecond of its expiry', async () => {
    const expiry = nowInSeconds();
    await store('mortal', { expires_at: expiry });
    vi.useFakeTimers({ toFake: ['Date'], now: expiry * 1000 });
    const { status } = await read('mortal').finally(() => vi.useRealTimers());
    expect(status).toBe(404);
  });

  it('does not expire if its expiry is not a number, which DynamoDB ignores too', async () => {
    await store('immortal', { expires_at: '1' });
    expect((await read('immortal')).status).toBe(200);
  });

  it('is gone once it was removed, while its tombstone is stored', async () => {
    const { pk, sk } = applicationItem({ candidate: 'removed' }, fullApplication);
    const revision = Date.now();
    await service.table.put({ pk, sk, revision, removed: true, expires_at: nowInSeconds() + 60 });
    const { status, body } = await read('removed');
    expect(status).toBe(404);
    expect(body).toEqual(problemBody('application_not_found'));
  });

  it('is not missing because a response was lost on its way and is empty', async () => {
    service.proxy.expect({ status: 200, body: '{}' });
    expect((await read('c-1')).status).toBe(503);
    service.proxy.expect('none');
  });

  it.each([
    ['beyond 2^53', '12345678901234567890', '12345678901234567000'],
    ['that is huge', '1.5E+125', '1.5e+125'],
    ['that is tiny', '1E-130', '1e-130'],
  ])('may have a score %s', async (_, stored, returned) => {
    await store('scored', { score: NumberValue.from(stored) });
    const { status, text } = await read('scored');
    expect(status).toBe(200);
    expect(text).toContain(`"score":${returned},`);
  });

  const ENTRY = { ...fullApplication.education[0] };
  const EVALUATION = { ...fullApplication.evaluations[0] };

  it.each([
    ['is not a text', 'phone', new Set(['must-not-leave']), null],
    ['is not a number', 'score', 'must-not-leave', null],
    ['is not a telephone number', 'phone', 'call must-not-leave', null],
    ['lacks the country prefix', 'phone', '5550', null],
    ['has a scheme', 'linked_in', 'HTTPS://linkedin.example.com/ana', 'linkedin.example.com/ana'],
    ['is not host and path', 'linked_in', 'javascript:must-not-leave', null],
    ['is a list', 'linked_in', ['must-not-leave'], null],
    ['is a script', 'resume_url', 'javascript:must-not-leave', null],
    ['has white space', 'resume_url', 'https://example.com/must not-leave', null],
    ['is two', 'video_url', 'https://a.example/1,https://b.example/must-not-leave', null],
    ['has no host', 'video_url', 'https:///must-not-leave', null],
    ['is no URI of a file', 'video_url', 'S3://bucket/must-not-leave', null],
    [
      'is not a date',
      'education',
      [ENTRY, { ...ENTRY, start_date: 'must-not-leave' }],
      [ENTRY, { ...ENTRY, start_date: null }],
    ],
    [
      'is not a recommendation',
      'evaluations',
      [{ ...EVALUATION, recommendation: 'must-not-leave' }],
      [{ ...EVALUATION, recommendation: null }],
    ],
    [
      'is not the name of an evaluator',
      'evaluations',
      [{ ...EVALUATION, evaluator: { id: 'u-7', name: { first: 'must-not-leave' } } }],
      [{ ...EVALUATION, evaluator: { id: 'u-7', name: null } }],
    ],
  ])(
    'whose value %s in %s is read without that value, and the log counts it',
    async (_, field, stored, returned) => {
      await store('old', { [field]: stored });
      const { status, body, text } = await read('old');
      expect([status, body]).toEqual([200, { ...fullApplication, [field]: returned }]);
      expect(text + service.log.text).not.toContain('must-not-leave');
      expect(service.log.lines).toMatchObject([{ outcome: 'ok', repaired_fields: 1 }]);
    },
  );

  it('counts every replaced value, and is not counted if there is none', async () => {
    const education = [{ start_date: 'n/a', current: 'n/a' }];
    await store('old', { linked_in: 'n/a', resume_url: '', video_url: 'n/a', education });
    await read('old');
    await store('old', {});
    await read('old');
    const counts = service.log.lines.map(({ repaired_fields }) => repaired_fields);
    expect(counts).toEqual([5, undefined]);
  });

  it('with many broken entries is read, and each is counted', async () => {
    const education = Array.from({ length: 1000 }, () => ({ end_date: 'x' }));
    await store('old', { education });
    expect((await read('old')).status).toBe(200);
    expect(service.log.lines).toMatchObject([{ repaired_fields: 1000 }]);
  });

  it('with many faults of required members is logged with the first of them', async () => {
    const evaluations = Array.from({ length: 1000 }, () => ({ score: 1 }));
    await store('old', { evaluations });
    expect((await read('old')).status).toBe(500);
    expect(service.log.text.length).toBeLessThan(2000);
  });

  it('keeps what the import refuses and a client can still read', async () => {
    const members = {
      email: 'mailto:ana@example.com',
      summary: 'caf\u0082',
      education: [{ ...fullApplication.education[0], start_date: '2016-02-31' }],
    };
    await store('old', members);
    const { status, body } = await read('old');
    expect([status, body]).toEqual([200, { ...fullApplication, ...members }]);
    expect(service.log.lines[0]).not.toHaveProperty('repaired_fields');
  });

  it.each([
    ['email must be string', { email: undefined }],
    ['created_at must match', { created_at: '2026-02-30T00:00:00.000Z' }],
    ['education must be array', { education: 'must-not-leave', phone: 'n/a' }],
    ['education/0 must be object', { education: ['must-not-leave'] }],
    ['evaluations/0/evaluator must be object', { evaluations: [{ id: 'ev-1', score: '-' }] }],
  ])('is invalid if %s, which the log says without a value', async (fault, members) => {
    await store('invalid', members);
    const { status, body } = await read('invalid');
    expect(status).toBe(500);
    expect(body).toEqual(problemBody('stored_data_invalid'));
    const detail = expect.stringContaining(`A stored application is invalid: ${fault}`);
    expect(service.log.lines).toMatchObject([
      { level: 'WARN', outcome: 'stored_data_invalid', failure: { detail } },
    ]);
    expect(service.log.text).not.toMatch(/must-not-leave|ana@example\.com|Ana Example/);
  });
});
