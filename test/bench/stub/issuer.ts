import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const AUDIENCE = 'recruitment-bench';
const DAY_S = 86_400;

/** Tokens that the issuer at `url` signed, by what a handler should make of them, and its JWKS. */
export async function makeIssuer(url: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const { privateKey: otherKey } = await generateKeyPair('RS256');
  const now = Math.floor(Date.now() / 1000);
  const mint = (claims: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({
      iss: url,
      aud: AUDIENCE,
      sub: '8c1f7c56-9a04-4b0c-b0c7-2f6c1d6a7e90',
      client_id: 'client-1',
      scope: 'openid applications:read jobs:write',
      iat: now,
      exp: now + DAY_S,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1', typ: 'at+jwt' })
      .sign(key);
  const tokens = {
    valid: await mint(),
    expired: await mint({ exp: now - DAY_S }),
    forged: await mint({}, otherKey),
    foreign: await mint({ aud: 'another-service' }),
    withoutScope: await mint({ scope: 'openid' }),
  };
  const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', use: 'sig' };
  /** The path says how many keys there are: `/jwks/10`. The one that signs is the last. */
  const answer: RequestListener = ({ url: path = '' }, response) => {
    const count = Number(path.split('/').at(-1));
    const keys = Array.from({ length: count }, (_, index) => ({
      ...jwk,
      kid: `key-${count - index}`,
    }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys }));
  };
  return { tokens, answer };
}
export type Tokens = Awaited<ReturnType<typeof makeIssuer>>['tokens'];
