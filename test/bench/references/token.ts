import { get } from 'node:https';
import { json } from 'node:stream/consumers';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { Rejected } from './store.ts';

const { JWKS_URI = '', ISSUER: issuer = '', AUDIENCE: audience = '' } = process.env;

export type Keys = JWTVerifyGetKey;

export const keysByFetch = () => createRemoteJWKSet(new URL(JWKS_URI));

/** Fetches the keys once. With `node:https`, because `fetch` would load undici. */
export function keysByHttps(): Keys {
  let keys: Promise<Keys> | undefined;
  return async (header, token) => {
    keys ??= fetchKeys();
    return (await keys)(header, token);
  };
}

async function fetchKeys(): Promise<Keys> {
  const document = await new Promise<unknown>((resolve, reject) => {
    get(JWKS_URI, (response) => json(response).then(resolve, reject)).on('error', reject);
  });
  return createLocalJWKSet(document as JSONWebKeySet);
}

/** @throws Rejected with 401 for an invalid token, 403 without the scope. */
export function verifier(keys: Keys) {
  const requiredClaims = ['exp', 'iat', 'sub'];
  const options = { algorithms: ['RS256'], issuer, audience, requiredClaims };
  return async (authorization = '', scope = ''): Promise<string> => {
    const [scheme, token = ''] = authorization.split(' ');
    if (scheme?.toLowerCase() !== 'bearer') throw new Rejected(401, 'Send a bearer token.');
    const { payload } = await jwtVerify(token, keys, options).catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? new Rejected(401, 'The token is invalid.') : error;
    });
    const { sub = '', scope: scopes } = payload;
    if (typeof scopes !== 'string' || !scopes.split(' ').includes(scope)) {
      throw new Rejected(403, `The token lacks ${scope}.`);
    }
    return sub;
  };
}
