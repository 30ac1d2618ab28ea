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
import { Rejected, variable } from './http.ts';

/** Gives the subject of the bearer token of an `Authorization` header, if it is valid and has the scope. */
export type SubjectOf = (authorization: string | undefined, scope: string) => Promise<string>;

/** Finds keys as most users of jose do, which fetches them by `fetch`. */
export const keysByFetch = () => createRemoteJWKSet(new URL(variable('JWKS_URI')));

/** Finds keys that are fetched by `node:https`, once: `fetch` would load undici. */
export function keysByHttps(): JWTVerifyGetKey {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    keys ??= fetchKeys();
    return (await keys)(header, token);
  };
}

async function fetchKeys(): Promise<JWTVerifyGetKey> {
  const document = await new Promise<unknown>((resolve, reject) => {
    get(variable('JWKS_URI'), (response) => json(response).then(resolve, reject)).on(
      'error',
      reject,
    );
  });
  return createLocalJWKSet(document as JSONWebKeySet);
}

/** Verifies tokens with these keys. */
export function verifier(keys: JWTVerifyGetKey): SubjectOf {
  const options = {
    algorithms: ['RS256'],
    issuer: variable('ISSUER'),
    audience: variable('AUDIENCE'),
    requiredClaims: ['exp', 'iat', 'sub'],
  };
  return async (authorization = '', scope) => {
    const [scheme, token] = authorization.split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || !token) {
      throw new Rejected(401, 'Send a bearer token.');
    }
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
