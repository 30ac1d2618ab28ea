import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { Rejected } from './store.ts';

const { JWKS_URI = '', ISSUER: issuer = '', AUDIENCE: audience = '' } = process.env;
const keys = createRemoteJWKSet(new URL(JWKS_URI));
const requiredClaims = ['exp', 'iat', 'sub'];
const options = { algorithms: ['RS256'], issuer, audience, requiredClaims };

/** @throws Rejected with 401 for an invalid token, 403 without the scope. */
export async function subjectOf(authorization = '', scope = ''): Promise<string> {
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
}
