import { beforeEach, describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { jobItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';

const malformed = problemBody('malformed_json');
const invalid = (pointer: string, message: string) =>
  problemBody('invalid_body', {
    errors: [{ pointer, message }],
  });

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
    ['is empty', ''],
    ['is blank', ' \n'],
    ['is cut off', '{"status":"closed"'],
    ['has something behind it', '{"status":"closed"} {}'],
    ['begins with a byte order mark', '\ufeff{"status":"closed"}'],
    ['holds NaN', '{"status":NaN}'],
    ['has single quotes', "{'status':'closed'}"],
    ['is a form', 'status=closed'],
    ['has a trailing comma', '{"status":"closed",}'],
  ])('is no JSON if it %s', async (_, body) => {
    const answer = await service.updateJobStatus({ body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(malformed);
    expect(await stored()).toBe('draft');
  });

  it('is no JSON if there is none', async () => {
    const answer = await service.updateJobStatus({ body: undefined });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(malformed);
  });

  it.each([
    ['is null', 'null', wrongShape],
    ['is a list', '[{"status":"closed"}]', wrongShape],
    ['is a string', '"closed"', wrongShape],
    ['is a number', '1', wrongShape],
    ['has no member', '{}', noStatus],
    ['has an unknown status', '{"status":"open"}', noStatus],
    ['has a status in another case', '{"status":"Closed"}', noStatus],
    ['has a status with a space', '{"status":"closed "}', noStatus],
    ['has a list for a status', '{"status":["closed"]}', noStatus],
    ['has a number for a status', '{"status":1}', noStatus],
    ['has true for a status', '{"status":true}', noStatus],
    ['has null for a status', '{"status":null}', noStatus],
    ['misspells the member', '{"Status":"closed"}', noStatus],
    ['has a member too many', '{"status":"closed","reason":"echo-me"}', wrongShape],
    ['has a bad status after a good one', '{"status":"closed","status":"open"}', noStatus],
    ['holds __proto__', '{"status":"closed","__proto__":{"a":1}}', wrongShape],
    [
      'holds constructor.prototype',
      '{"status":"closed","constructor":{"prototype":{}}}',
      wrongShape,
    ],
    ['holds __proto__ alone', '{"__proto__":{"status":"closed"}}', wrongShape],
    ['holds a constructor', '{"status":"closed","constructor":1}', wrongShape],
  ])('is JSON and invalid if it %s', async (_, body, expected) => {
    const answer = await service.updateJobStatus({ body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(expected);
    expect(await stored()).toBe('draft');
  });

  it('counts with its last member if one is there twice', async () => {
    const body = '{"status":"open","status":"closed"}';
    expect((await service.updateJobStatus({ body })).status).toBe(200);
    expect(await stored()).toBe('closed');
  });

  it.each([
    ['has space around it', ' \n{ "status" : "closed" }\t'],
    ['writes letters as escapes', '{"st\\u0061tus":"cl\\u006fsed"}'],
  ])('is valid if it %s', async (_, body) => {
    expect((await service.updateJobStatus({ body })).status).toBe(200);
    expect(await stored()).toBe('closed');
  });

  it('may come in base64, as API Gateway sends what it considers binary', async () => {
    const body = base64('{"status":"closed"}');
    expect((await service.updateJobStatus({ body, isBase64Encoded: true })).status).toBe(200);
    expect(await stored()).toBe('closed');
  });

  it.each([
    ['is no JSON', 'closed', malformed],
    ['begins with a byte order mark', '\ufeff{"status":"closed"}', malformed],
    ['has an unknown status', '{"status":"open"}', noStatus],
  ])('in base64 is rejected if it %s', async (_, text, expected) => {
    const request = { body: base64(text), isBase64Encoded: true };
    expect((await service.updateJobStatus(request)).body).toEqual(expected);
  });

  it('in base64 is no JSON if it is not UTF-8, even inside a string', async () => {
    const body = Buffer.from('{"status":"closed\xff"}', 'latin1').toString('base64');
    const request = { body, isBase64Encoded: true };
    expect((await service.updateJobStatus(request)).body).toEqual(malformed);
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
    ['that is large and no JSON', { body: '{'.repeat(100_000) }],
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
    'text/json',
    'application/jsonp',
    'application/json, text/plain',
    'multipart/form-data; boundary=application/json',
    '',
  ])('may not be declared as %j', async (type) => {
    const answer = await service.updateJobStatus({ headers: { 'content-type': type } });
    expect(answer.body).toEqual(problemBody('unsupported_media_type'));
    expect(await stored()).toBe('draft');
  });
});
