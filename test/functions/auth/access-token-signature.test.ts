import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { CRITICAL, type SigningKey, signingKey } from '../../support/issuer.ts';
import { applicationItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { loadFunctions, useService } from '../../support/service.ts';

const refused = problemBody('invalid_token');

const OTHER_ALGORITHMS = ['PS256', 'RS512', 'ES384', 'EdDSA'];

describe('the signature of an access token', () => {
  const service = useService();
  let rsa: SigningKey;
  let stranger: SigningKey;
  /** Private keys of other algorithms, whose public keys the issuer publishes. */
  const others: Record<string, CryptoKey> = {};
  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    [rsa, stranger] = await Promise.all([signingKey('RS256'), signingKey()]);
    service.issuer.published.push(rsa.jwk);
    for (const alg of OTHER_ALGORITHMS) {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      service.issuer.published.push({ ...(await exportJWK(publicKey)), kid: alg, alg });
      others[alg] = privateKey;
    }
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

  it('may name no key where the issuer has several of its algorithm', async () => {
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
  });

  it.each<[string, () => Promise<string>]>([
    ['there is none (alg none)', async () => new UnsecuredJWT(service.issuer.claims()).encode()],
    [
      'alg none is spelt otherwise',
      async () => {
        const [, claims] = (await service.issuer.mint()).split('.');
        return `${Buffer.from('{"alg":"NonE"}').toString('base64url')}.${claims}.`;
      },
    ],
    [
      "it is an HMAC with the issuer's public key as the secret",
      async () => sign('HS256', rsa.kid, Buffer.from(await exportSPKI(rsa.publicKey))),
    ],
    [
      'it is an HMAC with the published key as the secret',
      () => sign('HS256', rsa.kid, Buffer.from(JSON.stringify(rsa.jwk))),
    ],
    ['it is by a key that the issuer did not publish', () => service.issuer.mint({}, {}, stranger)],
    [
      'it is by another key than it names',
      () => service.issuer.mint({}, { kid: service.issuer.key.kid }, stranger),
    ],
    [
      'the token brings its own key',
      () => service.issuer.mint({}, { kid: 'own', jwk: stranger.jwk }, stranger),
    ],
    [
      'the token names the address of its key',
      () => service.issuer.mint({}, { kid: 'own', jku: `${service.issuer.url}/jwks` }, stranger),
    ],
    ...OTHER_ALGORITHMS.map((alg): [string, () => Promise<string>] => [
      `it is of ${alg}`,
      () => sign(alg, alg, others[alg]),
    ]),
    [
      'it is of an extension that must be understood',
      () => service.issuer.mint({}, { crit: [CRITICAL], [CRITICAL]: true }),
    ],
    ['it has been changed', async () => flipped(await service.issuer.mint(), 2)],
    ['the claims have been changed', async () => flipped(await service.issuer.mint(), 1)],
    ['it has been cut off', async () => (await service.issuer.mint()).replace(/\.[^.]*$/, '.')],
    ['the token is encrypted', async () => `${await service.issuer.mint()}.a.b`],
  ])('is bad where %s: 401', async (_, forge) => {
    const token = await forge();
    const { status, headers, body } = await read(token);
    expect(status).toBe(401);
    expect(headers['WWW-Authenticate']).toBe('Bearer realm="recruitment", error="invalid_token"');
    expect(body).toEqual(refused);
    expect(service.log.text).not.toContain(token.split('.')[1]);
  });

  it('is looked for by the one key of the issuer where the token names none', async () => {
    const { published } = service.issuer;
    service.issuer.published = [service.issuer.key.jwk];
    const functions = await loadFunctions(service);
    const token = await service.issuer.mint({}, { kid: undefined });
    expect((await functions.getApplication({ token })).status).toBe(200);
    service.issuer.published = published;
  });

  function sign(
    alg: string,
    kid: string,
    key: CryptoKey | Uint8Array = new Uint8Array(),
  ): Promise<string> {
    const claims = service.issuer.claims();
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt' }).sign(key);
  }
});

/** The token with one bit of a part changed. */
function flipped(token: string, part: number): string {
  const parts = token.split('.');
  const bytes = Buffer.from(parts[part] ?? '', 'base64url');
  bytes.writeUInt8(bytes.readUInt8(10) ^ 1, 10);
  parts[part] = bytes.toString('base64url');
  return parts.join('.');
}
