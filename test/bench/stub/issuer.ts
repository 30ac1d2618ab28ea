import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Access tokens of the stub's issuer, by what is to come of them. */
export interface Tokens {
  valid: string;
  expired: string;
  forged: string;
  foreign: string;
  withoutScope: string;
}

export const AUDIENCE = 'recruitment-bench';
const DAY_S = 86_400;

/** An OpenID Connect issuer at `url`: the tokens it gives, and the answers of its two documents. */
export async function makeIssuer(url: string) {
  const kid = 'key-1';
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const { privateKey: otherKey } = await generateKeyPair('RS256');
  const now = Math.floor(Date.now() / 1000);
  const mint = (claims: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({
      iss: url,
      aud: AUDIENCE,
      sub: 'user-1',
      client_id: 'client-1',
      scope: 'openid applications:read jobs:write',
      iat: now,
      exp: now + DAY_S,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
      .sign(key);
  const tokens: Tokens = {
    valid: await mint(),
    expired: await mint({ exp: now - DAY_S }),
    forged: await mint({}, otherKey),
    foreign: await mint({ aud: 'another-service' }),
    withoutScope: await mint({ scope: 'openid' }),
  };
  const jwksUri = `${url}/jwks`;
  const documents: Record<string, unknown> = {
    '/.well-known/openid-configuration': { issuer: url, jwks_uri: jwksUri },
    '/jwks': { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] },
  };
  const answer: RequestListener = (request, response) => {
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  };
  return { tokens, jwksUri, answer };
}
