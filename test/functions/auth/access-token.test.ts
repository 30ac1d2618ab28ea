import { createLocalJWKSet } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyAccessToken } from '../../../functions/auth/access-token.ts';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { AUDIENCE, nowInSeconds } from '../../support/issuer.ts';
import { applicationItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { loadFunctions, useService } from '../../support/service.ts';

type Claims = Readonly<Record<string, unknown>>;

const detail = problemTypes.invalid_token.detail;
const NOT_OURS = detail.unverified;
const NO_ACCESS_TOKEN = detail.otherType;
const OTHER_AUDIENCE = detail.otherAudience;
const NO_SUBJECT = detail.invalidSubject;
const LACKING = detail.incomplete;
const EXPIRED = detail.expired;
const NO_DATE = detail.invalidExpiry;
const inSeconds = (seconds: number) => nowInSeconds() + seconds;

describe('the claims of an access token', () => {
  const service = useService({ AUDIENCE: 'recruitment-tests, client-9' });
  beforeAll(() => service.table.put(applicationItem({})));
  const read = async (claims: Claims, header: Claims = {}) =>
    service.getApplication({ token: await service.issuer.mint(claims, header) });

  it.each<[string, () => Claims]>([
    ['has the audience', () => ({ aud: 'recruitment-tests' })],
    ['has another audience of the deployment', () => ({ aud: 'client-9' })],
    ['has the audience among others', () => ({ aud: ['other', 'recruitment-tests'] })],
    [
      'has no audience, as of Cognito, and a known client',
      () => ({ aud: undefined, client_id: 'client-9' }),
    ],
    ['says that it is an access token, as of Cognito', () => ({ token_use: 'access' })],
    ['expired within the tolerance', () => ({ exp: inSeconds(-25) })],
    ['begins within the tolerance', () => ({ nbf: inSeconds(25) })],
    ['has begun', () => ({ nbf: inSeconds(-600) })],
    ['was issued within the tolerance', () => ({ iat: inSeconds(25) })],
    ['was issued long ago', () => ({ iat: 1 })],
    ['has a subject of 256 bytes', () => ({ sub: 'é'.repeat(128) })],
    ['lasts to the end of the year 9999', () => ({ exp: 253_402_300_799 })],
  ])('are good if it %s', async (_, claims) => {
    expect((await read(claims())).status).toBe(200);
  });

  it.each<[string, string, () => Claims]>([
    ['has another audience', OTHER_AUDIENCE, () => ({ aud: 'other' })],
    [
      'has an audience that only begins alike',
      OTHER_AUDIENCE,
      () => ({ aud: 'recruitment-tests2' }),
    ],
    ['has no audience in its list', OTHER_AUDIENCE, () => ({ aud: [] })],
    ['has null for an audience', OTHER_AUDIENCE, () => ({ aud: null })],
    ['has a list in its list', OTHER_AUDIENCE, () => ({ aud: [['recruitment-tests']] })],
    [
      'has another audience and a known client',
      OTHER_AUDIENCE,
      () => ({ aud: 'other', client_id: 'client-9' }),
    ],
    [
      'has no audience and an unknown client',
      OTHER_AUDIENCE,
      () => ({ aud: undefined, client_id: 'other' }),
    ],
    [
      'has neither audience nor client',
      OTHER_AUDIENCE,
      () => ({ aud: undefined, client_id: undefined }),
    ],
    ['is an ID token of Cognito', NO_ACCESS_TOKEN, () => ({ token_use: 'id' })],
    ['has null for a use', NO_ACCESS_TOKEN, () => ({ token_use: null })],
    ['is of another issuer', NOT_OURS, () => ({ iss: 'https://issuer.example.com' })],
    ['is of the issuer with a slash', NOT_OURS, () => ({ iss: `${service.issuer.url}/` })],
    ['is of no issuer', LACKING, () => ({ iss: undefined })],
    ['has expired', EXPIRED, () => ({ exp: inSeconds(-61) })],
    ['never expires', LACKING, () => ({ exp: undefined })],
    ['expires at a word', NOT_OURS, () => ({ exp: 'never' })],
    ['expires at no date', NO_DATE, () => ({ exp: 1e300 })],
    ['expires after the year 9999', NO_DATE, () => ({ exp: 253_402_300_800 })],
    ['has not begun', NOT_OURS, () => ({ nbf: inSeconds(61) })],
    ['begins at a word', NOT_OURS, () => ({ nbf: 'now' })],
    ['was issued in the future', NOT_OURS, () => ({ iat: inSeconds(61) })],
    ['was never issued', LACKING, () => ({ iat: undefined })],
    ['was issued at a word', NOT_OURS, () => ({ iat: 'now' })],
    ['has no subject', LACKING, () => ({ sub: undefined })],
    ['has an empty subject', NO_SUBJECT, () => ({ sub: '' })],
    ['has a number for a subject', NO_SUBJECT, () => ({ sub: 7 })],
    ['has a list for a subject', NO_SUBJECT, () => ({ sub: ['user-1'] })],
    ['has a subject too long', NO_SUBJECT, () => ({ sub: 'é'.repeat(129) })],
    ['has a control character in its subject', NO_SUBJECT, () => ({ sub: 'user\n1' })],
  ])('are bad if it %s: 401', async (_, why, claims) => {
    const { status, headers, body } = await read(claims());
    expect(status).toBe(401);
    expect(headers['WWW-Authenticate']).toBe('Bearer realm="recruitment", error="invalid_token"');
    expect(body).toEqual(problemBody('invalid_token', { detail: why }));
    expect(service.log.lines).toMatchObject([{ outcome: 'invalid_token', status: 401 }]);
    expect(service.log.lines[0]).not.toHaveProperty('subject');
  });

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'])(
    'may be those of a token of the type %s',
    async (typ) => {
      expect((await read({}, { typ })).status).toBe(200);
    },
  );

  it.each(['id+jwt', 'logout+jwt', 'dpop+jwt', 'JOSE', '', 5, null, ['at+jwt']])(
    'may not be those of a token of the type %j',
    async (typ) => {
      const { status, body } = await read({}, { typ });
      expect(status).toBe(401);
      expect(body).toEqual(problemBody('invalid_token', { detail: NO_ACCESS_TOKEN }));
    },
  );

  it.each<[string, Claims, string | undefined]>([
    ['`client_id`', { client_id: 'client-1', azp: 'other' }, 'client-1'],
    ['`azp`', { client_id: undefined, azp: 'client-2' }, 'client-2'],
    ['neither', { client_id: undefined }, undefined],
    ['no string', { client_id: { name: 'client-1' } }, undefined],
    ['no identifier', { client_id: 'client\u0000' }, undefined],
  ])('name the client by %s in the log', async (_, claims, client) => {
    expect((await read(claims)).status).toBe(200);
    expect(service.log.lines[0]?.client).toBe(client);
  });

  it.each([[{ name: 'client-1' }], ['client\u0000'], [['client-1']]])(
    'name no client if it is %j',
    async (client) => {
      const { issuer } = service;
      const settings = { issuer: issuer.url, audiences: [AUDIENCE] };
      const keys = createLocalJWKSet({ keys: [issuer.key.jwk] });
      const token = await issuer.mint({ client_id: client });
      expect((await verifyAccessToken(token, keys, settings)).client).toBeUndefined();
    },
  );

  it('are not read from a token whose signature was not checked', async () => {
    const functions = await loadFunctions(service);
    const [header, , signature] = (await service.issuer.mint()).split('.');
    const claims = Buffer.from(JSON.stringify(service.issuer.claims({ sub: 'forged' })));
    const token = [header, claims.toString('base64url'), signature].join('.');
    const { status } = await functions.getApplication({ token });
    expect(status).toBe(401);
    expect(service.log.text).not.toContain('forged');
  });
});
