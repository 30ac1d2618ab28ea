import { verifyAccessToken } from '../../../../functions/auth/access-token.ts';
import { fetchIssuerKeys } from '../../../../functions/auth/issuer-keys.ts';
import { jwksCache } from '../../../../functions/auth/jwks-cache.ts';
import { readEnvironment } from '../../../../functions/runtime/env.ts';
import { bearerToken } from '../http.ts';

const environment = readEnvironment();
const keys = jwksCache(() => fetchIssuerKeys(environment.issuer, environment.jwksUri));

/** Verifies a token as our middleware does: what verification costs is no cost of the middlewares. */
export const verified = (authorization: string | undefined) =>
  verifyAccessToken(bearerToken(authorization), keys.find, environment);
