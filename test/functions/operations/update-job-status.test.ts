import { beforeEach, describe, expect, it } from 'vitest';
import { entityTag } from '../../../functions/contract/headers.ts';
import { jobStatuses, MAX_VERSION } from '../../../functions/domain/job.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { jobItem } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

describe('the update of a status', async () => {
  const service = await startProxiedService();
  const stored = (job = 'j-1') => service.table.read(jobKey('default', job));
  const set = (status: unknown, ifMatch?: string) =>
    service.updateJobStatus({
      body: { status },
      ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
    });
  beforeEach(() => service.table.put(jobItem({}, { version: 7, last_change_id: 'earlier' })));

  it.each(jobStatuses.filter((status) => status !== 'draft'))('sets %s', async (status) => {
    const { status: code, headers, text } = await set(status);
    expect(code).toBe(200);
    expect(text).toBe('{"success":true}');
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', ETag: '"8"' });
    expect((await stored())?.status).toBe(status);
  });

  it('records what changed, when, by whom and in which request, and leaves the rest', async () => {
    const before = Date.now();
    service.proxy.expect('none');
    await service.updateJobStatus({
      token: await service.issuer.mint({ sub: 'recruiter-9' }),
      body: { status: 'closed' },
      invocationId: 'invocation-1',
    });
    expect(service.proxy.requests).toMatchObject([{ operation: 'UpdateItem' }]);
    const job = await stored();
    expect(job).toEqual({
      ...jobItem({}),
      status: 'closed',
      version: 8,
      previous_status: 'draft',
      fence: expect.any(Number),
      status_changed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      status_changed_by: 'recruiter-9',
      last_change_actor: 'recruiter-9',
      last_change_id: 'invocation-1',
    });
    for (const time of [Date.parse(String(job?.status_changed_at)), job?.fence]) {
      expect(time).toBeGreaterThanOrEqual(before);
      expect(time).toBeLessThanOrEqual(Date.now());
    }
  });

  it('records an e-mail address as who changed it, and a hash of it for the event', async () => {
    const token = await service.issuer.mint({ sub: 'ana@example.com' });
    await service.updateJobStatus({ token });
    expect(await stored()).toMatchObject({
      status_changed_by: 'ana@example.com',
      last_change_actor: 'sha256:8e43ca37701228e7',
    });
  });

  it('writes nothing if the job has the status', async () => {
    const before = await stored();
    const { status, headers, text } = await set('draft');
    expect(status).toBe(200);
    expect(text).toBe('{"success":true}');
    expect(headers.ETag).toBe('"7"');
    expect(await stored()).toEqual(before);
  });

  it.each([undefined, '"7"'])('gets 404 if there is no such job, If-Match %s', async (ifMatch) => {
    const { status, body } = await service.updateJobStatus({
      pathParameters: { id: 'j-2' },
      headers: { 'if-match': ifMatch },
    });
    expect(status).toBe(404);
    expect(body).toEqual(problemBody('job_not_found'));
    expect(await stored('j-2')).toBeUndefined();
  });

  it.each([
    ['the current version', '"7"'],
    ['any version', '*'],
    ['several versions, the current among them', '"5", "7"'],
  ])('succeeds if If-Match names %s', async (_, ifMatch) => {
    const { status, headers } = await set('closed', ifMatch);
    expect(status).toBe(200);
    expect(headers.ETag).toBe('"8"');
    expect((await stored())?.status).toBe('closed');
  });

  it.each([
    ['several others', '"5", "6", "8"'],
    ['a version that no job has', '"0"'],
  ])('gets 412 if If-Match names %s', async (_, ifMatch) => {
    const before = await stored();
    const { status, headers, body } = await set('closed', ifMatch);
    expect(status).toBe(412);
    expect(headers.ETag).toBe('"7"');
    expect(body).toEqual(problemBody('version_mismatch', { current_status: 'draft' }));
    expect(await stored()).toEqual(before);
  });

  it('has the tags of all versions, up to the last', async () => {
    await service.table.put(jobItem({}, { version: MAX_VERSION - 1 }));
    const { headers } = await set('closed', entityTag(MAX_VERSION - 1));
    expect(headers.ETag).toBe(entityTag(MAX_VERSION));
    expect((await set('closed', headers.ETag)).status).toBe(200);
    expect((await set('closed', entityTag(MAX_VERSION - 2))).status).toBe(412);
  });

  it('honours If-Match even if the job has the status', async () => {
    expect((await set('draft', '"6"')).status).toBe(412);
    expect((await set('draft', '"7"')).status).toBe(200);
  });
});
