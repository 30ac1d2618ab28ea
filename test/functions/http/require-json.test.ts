import { beforeEach, describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { jobItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';

const malformed = problemBody('malformed_json');
const invalid = (pointer: string, message: string) =>
  problemBody('invalid_body', { errors: [{ pointer, message }] });

const wrongShape = invalid('', 'must be an object that holds status alone');
const noStatus = invalid('/status', 'must be one of published, closed, archived, draft, paused');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A body of this many bytes that sets the status `closed`. */
const bodyOf = (bytes: number) => '{"status":"closed"}'.padEnd(bytes);

describe('the body of an update', () => {
  const service = useService();
  beforeEach(() => service.table.put(jobItem({})));
  const stored = async () => (await service.table.read(jobKey('default', 'j-1')))?.status;

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is cut off', '{"status":"closed"'],
    ['has something behind it', '{"status":"closed"} {}'],
    ['begins with a byte order mark', '\ufeff{"status":"closed"}'],
    ['holds NaN', '{"status":NaN}'],
    ['is a form', 'status=closed'],
  ])('is no JSON if it %s', async (_, body) => {
    const answer = await service.updateJobStatus({ body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(malformed);
    expect(await stored()).toBe('draft');
  });

  it.each([
    ['is null', 'null', wrongShape],
    ['is a list', '[{"status":"closed"}]', wrongShape],
    ['is a number', '1', wrongShape],
    ['has no member', '{}', noStatus],
    ['has an unknown status', '{"status":"open"}', noStatus],
    ['has a status in another case', '{"status":"Closed"}', noStatus],
    ['has a list for a status', '{"status":["closed"]}', noStatus],
    ['has null for a status', '{"status":null}', noStatus],
    ['has a member too many', '{"status":"closed","reason":"echo-me"}', wrongShape],
    ['holds __proto__ alone', '{"__proto__":{"status":"closed"}}', wrongShape],
    ['holds a constructor', '{"status":"closed","constructor":1}', wrongShape],
  ])('is JSON and invalid if it %s', async (_, body, expected) => {
    const answer = await service.updateJobStatus({ body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(expected);
    expect(await stored()).toBe('draft');
  });

  it.each([
    ['has space around it', { body: ' \n{ "status" : "closed" }\t' }],
    ['writes letters as escapes', { body: '{"st\\u0061tus":"cl\\u006fsed"}' }],
    [
      'has the status twice, of which the last counts',
      { body: '{"status":"a","status":"closed"}' },
    ],
    ['comes in base64', { body: base64('{"status":"closed"}'), isBase64Encoded: true }],
  ])('is valid if it %s', async (_, request) => {
    expect((await service.updateJobStatus(request)).status).toBe(200);
    expect(await stored()).toBe('closed');
  });

  it.each([
    ['is no JSON', base64('closed'), malformed],
    ['has an unknown status', base64('{"status":"open"}'), noStatus],
    [
      'is not UTF-8',
      Buffer.from('{"status":"closed\xff"}', 'latin1').toString('base64'),
      malformed,
    ],
  ])('in base64 is rejected if it %s', async (_, body, expected) => {
    const answer = await service.updateJobStatus({ body, isBase64Encoded: true });
    expect(answer.body).toEqual(expected);
  });

  it('may be of 1024 bytes', async () => {
    expect((await service.updateJobStatus({ body: bodyOf(1024) })).status).toBe(200);
    const umlauts = `{"status":"${'é'.repeat(505)}a"}`;
    expect(Buffer.byteLength(umlauts)).toBe(1024);
    expect((await service.updateJobStatus({ body: umlauts })).body).toEqual(noStatus);
    const body = base64(bodyOf(1024));
    expect((await service.updateJobStatus({ body, isBase64Encoded: true })).status).toBe(200);
  });

  it.each([
    ['of 1025 bytes', { body: bodyOf(1025) }],
    ['of fewer characters but more bytes', { body: `{"status":"${'é'.repeat(506)}"}` }],
    ['of 1025 bytes in base64', { body: base64(bodyOf(1025)), isBase64Encoded: true }],
  ])('is too large %s', async (_, request) => {
    const { status, body } = await service.updateJobStatus(request);
    expect(status).toBe(413);
    expect(body).toEqual(problemBody('body_too_large'));
    expect(await stored()).toBe('draft');
  });

  it.each([
    ['content-type', 'application/json; charset=utf-8'],
    ['content-type', ' Application/JSON '],
    ['CONTENT-TYPE', 'application/json'],
  ])('may be declared by %s: %j', async (name, type) => {
    const headers = { 'content-type': undefined, [name]: type };
    expect((await service.updateJobStatus({ headers })).status).toBe(200);
  });

  it.each([
    undefined,
    'application/merge-patch+json',
    'application/jsonp',
    'application/json, text/plain',
    '',
  ])('may not be declared as %j', async (type) => {
    const answer = await service.updateJobStatus({ headers: { 'content-type': type } });
    expect(answer.body).toEqual(problemBody('unsupported_media_type'));
    expect(await stored()).toBe('draft');
  });
});
