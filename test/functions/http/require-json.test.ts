import { beforeEach, describe, expect, it } from 'vitest';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { problemBody } from '../../support/contract.ts';
import { jobItem } from '../../support/items.ts';
import { startService } from '../../support/service.ts';

const malformed = problemBody('malformed_json');
const tooLarge = problemBody('body_too_large');
const unsupported = problemBody('unsupported_media_type');
const invalid = (pointer: string, message: string) =>
  problemBody('invalid_body', { errors: [{ pointer, message }] });
const wrongShape = invalid('', 'must be an object with `status` and no other member');
const noStatus = invalid('/status', `must be one of ${jobStatuses.join(', ')}`);
const done = { success: true };

const typed = (type: string | undefined) => ({ headers: { 'content-type': type } });
const coded = (coding: string) => ({
  headers: { 'content-type': 'application/json', 'content-encoding': coding },
});
const uncoded = { ...unsupported, detail: 'Send the body as it is, without Content-Encoding.' };
const base64 = (text: string, encoding: BufferEncoding = 'utf8') => ({
  body: Buffer.from(text, encoding).toString('base64'),
  isBase64Encoded: true,
});
const bodyOf = (bytes: number) => '{"status":"closed"}'.padEnd(bytes);

describe('the response to an update', async () => {
  const service = await startService();
  beforeEach(() => service.table.put(jobItem({})));

  it.each<[string, object, object]>([
    ['without a body', { body: undefined }, malformed],
    ['with half of a body', { body: '{"status":"closed"' }, malformed],
    ['with a body that is not UTF-8', base64('{"status":"closed\xff"}', 'latin1'), malformed],
    ['with null', { body: 'null' }, wrongShape],
    ['with a list', { body: '[{"status":"closed"}]' }, wrongShape],
    ['with a member too many', { body: '{"status":"closed","reason":"a"}' }, wrongShape],
    ['with __proto__', { body: '{"__proto__":{"status":"closed"}}' }, wrongShape],
    ['without a status', { body: '{}' }, noStatus],
    ['with a list for a status', { body: '{"status":["closed"]}' }, noStatus],
    ['with an unknown status in base64', base64('{"status":"open"}'), noStatus],
    ['of 1024 bytes', { body: bodyOf(1024) }, done],
    ['of 1024 bytes in base64', base64(bodyOf(1024)), done],
    ['of 1025 bytes', { body: bodyOf(1025) }, tooLarge],
    ['of 1025 bytes in base64', base64(bodyOf(1025)), tooLarge],
    ['of fewer characters but more bytes', { body: 'é'.repeat(513) }, tooLarge],
    ['with a parameter of its type', typed(' Application/JSON ; charset=utf-8'), done],
    ['without a type', typed(undefined), unsupported],
    ['with another type', typed('application/jsonp'), unsupported],
    ['with the coding identity', coded(' Identity, identity'), done],
    ['with an empty coding', coded(''), done],
    ['with a coding', coded('gzip'), uncoded],
    ['with a coding among others', coded('identity, BR'), uncoded],
    ['after a byte order mark', { body: '\ufeff{"status":"closed"}' }, done],
    ['after a byte order mark in base64', base64('\ufeff{"status":"closed"}'), done],
    ['after two byte order marks', { body: '\ufeff\ufeff{"status":"closed"}' }, malformed],
    ['with a byte order mark only', { body: '\ufeff' }, malformed],
    ['with a byte order mark inside', { body: '{"status":"clo\ufeffsed"}' }, noStatus],
  ])('%s', async (_, request, expected) => {
    expect((await service.updateJobStatus(request)).body).toEqual(expected);
  });

  it('with a coding says which codings are accepted, and only then (RFC 9110, section 12.5.3)', async () => {
    const headers = async (request: object) => (await service.updateJobStatus(request)).headers;
    const accepted = { 'Accept-Patch': 'application/json' };
    expect(await headers(coded('gzip'))).toMatchObject({
      ...accepted,
      'Accept-Encoding': 'identity',
    });
    const ofType = await headers(typed('text/plain'));
    expect(ofType).toMatchObject(accepted);
    expect(ofType).not.toHaveProperty('Accept-Encoding');
  });
});
