import { beforeEach, describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { useService } from '../../support/service.ts';

describe('the media type of an update', () => {
  const service = useService();
  beforeEach(() => service.table.put(jobItem({})));
  const stored = async () => (await service.table.read(jobKey('default', 'j-1')))?.status;

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    ' application/json ',
  ])('may be %j', async (type) => {
    const answer = await service.updateJobStatus({ headers: { 'content-type': type } });
    expect(answer.status).toBe(200);
  });

  it.each(['Content-Type', 'CONTENT-TYPE', 'content-Type'])(
    'may be in the header %s',
    async (name) => {
      const answer = await service.updateJobStatus({
        headers: { 'content-type': undefined, [name]: 'application/json' },
      });
      expect(answer.status).toBe(200);
    },
  );

  it.each([
    undefined,
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/vnd.api+json',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json, text/plain',
    'multipart/form-data; boundary=application/json',
    '',
  ])('may not be %j', async (type) => {
    const answer = await service.updateJobStatus({ headers: { 'content-type': type } });
    expect(answer.status).toBe(415);
    expect(answer.headers['Accept-Patch']).toBe('application/json');
    expect(answer.body).toEqual(problemBody('unsupported_media_type'));
    expect(await stored()).toBe('draft');
  });
});
