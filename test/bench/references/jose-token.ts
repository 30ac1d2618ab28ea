import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { Refused, variable } from './http.ts';

const keys = createRemoteJWKSet(new URL(variable('JWKS_URI')));
const options = {
  algorithms: ['RS256'],
  issuer: variable('ISSUER'),
  audience: variable('AUDIENCE'),
  requiredClaims: ['exp', 'iat', 'sub'],
};

/** The subject of a token that has the scope. */
export async function subjectOf(token: string, scope: string): Promise<string> {
  const { sub = '', scope: scopes } = await verified(token);
  if (typeof scopes !== 'string' || !scopes.split(' ').includes(scope)) {
    throw new Refused(403, `The token lacks ${scope}.`);
  }
  return sub;
}

async function verified(token: string) {
  try {
    const { payload } = await jwtVerify(token, keys, options);
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new Refused(401, 'The token is refused.');
    throw error;
  }
}
