import { beforeAll, describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { nowInSeconds, type SigningKey, signingKey } from '../../support/issuer.ts';
import { applicationItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { loadFunctions, useService } from '../../support/service.ts';

const refused = problemBody('invalid_token');

describe('the signature of an access token', () => {
  const service = useService();
  let rsa: SigningKey;
  let stranger: SigningKey;
  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    [rsa, stranger] = await Promise.all([signingKey('RS256'), signingKey()]);
    service.issuer.published.push(rsa.jwk);
    // The keys are fetched when the functions start.
    Object.assign(service, await loadFunctions(service));
  });
  const read = (token: string) => service.getApplication({ token });

  it('may be of ES256', async () => {
    expect((await read(await service.issuer.mint())).status).toBe(200);
  });

  it('may be of RS256', async () => {
    expect((await read(await service.issuer.mint({}, {}, rsa))).status).toBe(200);
  });

  it.each([
    ['a space behind it', (token: string) => `${token} `],
    ['a tab in it', (token: string) => `${token.slice(0, -4)}\t${token.slice(-4)}`],
    ['padding', (token: string) => `${token}==`],
  ])('may not have %s, which base64url has not', async (_, spoiled) => {
    const { status, body } = await read(spoiled(await service.issuer.mint()));
    expect(status).toBe(401);
    expect(body).toEqual(refused);
  });

  it('may not be of a header with a space, though the issuer has signed it so', async () => {
    const [header = '', claims] = (await service.issuer.mint()).split('.');
    const text = `${header.slice(0, 4)} ${header.slice(4)}.${claims}`;
    const ecdsa = { name: 'ECDSA', hash: 'SHA-256' };
    const { privateKey } = service.issuer.key;
    const signature = await crypto.subtle.sign(ecdsa, privateKey, Buffer.from(text));
    const token = `${text}.${Buffer.from(signature).toString('base64url')}`;
    expect((await read(token)).body).toEqual(refused);
  });

  it('may name no key if the issuer has several of its algorithm', async () => {
    const second = await signingKey();
    service.issuer.published.push(second.jwk);
    const { getApplication } = await loadFunctions(service);
    const unnamed = { kid: undefined };
    for (const key of [service.issuer.key, second]) {
      expect(
        (await getApplication({ token: await service.issuer.mint({}, unnamed, key) })).status,
      ).toBe(200);
    }
    const forged = await getApplication({
      token: await service.issuer.mint({}, unnamed, stranger),
    });
    expect(forged.status).toBe(401);
    expect(forged.body).toEqual(refused);
    expect(forged.body.detail).toBe(problemTypes.invalid_token.detail.unverified);
    for (const key of [service.issuer.key, second]) {
      const token = await service.issuer.mint({ exp: nowInSeconds() - 60 }, unnamed, key);
      const expired = await getApplication({ token });
      expect(expired.status).toBe(401);
      expect(expired.body.detail).toBe(problemTypes.invalid_token.detail.expired);
    }
  });

  it('is verified by the one key of the issuer if the token names none', async () => {
    const { published } = service.issuer;
    service.issuer.published = [service.issuer.key.jwk];
    const functions = await loadFunctions(service);
    const token = await service.issuer.mint({}, { kid: undefined });
    expect((await functions.getApplication({ token })).status).toBe(200);
    service.issuer.published = published;
  });
});
