import type { KeyObject } from 'node:crypto';
import { Refused, variable } from '../http.ts';
import { crypto } from './builtins.ts';
import { send } from './request.ts';

const issuer = variable('ISSUER');
const audience = variable('AUDIENCE');
const jwksUri = new URL(variable('JWKS_URI'));

let keys: Promise<Map<unknown, KeyObject>> | undefined;

/** Set by the build: `fetch` is what most would write, and loads the whole of undici. */
declare const KEYS_BY_FETCH: boolean;

/** Fetches the issuer's keys, by their ids. */
async function fetchKeys(): Promise<Map<unknown, KeyObject>> {
  const document: unknown = KEYS_BY_FETCH
    ? await (await fetch(jwksUri)).json()
    : (await send(jwksUri, {})).document;
  const { keys: listed } = Object(document);
  if (!Array.isArray(listed)) throw new Error('The issuer lists no keys.');
  return new Map(
    listed.map((key) => [key.kid, crypto.createPublicKey({ key, format: 'jwk' })] as const),
  );
}

/** The subject of a token that holds and has the scope. */
export async function subjectOf(token: string, scope: string): Promise<string> {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg, kid } = decoded(header);
  keys ??= fetchKeys();
  const key = (await keys).get(kid);
  const signed = Buffer.from(`${header}.${payload}`);
  if (
    alg !== 'RS256' ||
    key === undefined ||
    !crypto.verify('sha256', signed, key, Buffer.from(signature, 'base64url'))
  ) {
    throw new Refused(401, 'The token is refused.');
  }
  return subjectIn(decoded(payload), scope);
}

function subjectIn(claims: Record<string, unknown>, scope: string): string {
  const { iss, aud, exp, nbf, iat, sub, scope: scopes } = claims;
  const now = Date.now() / 1000;
  const isCurrent =
    typeof exp === 'number' &&
    exp > now &&
    typeof iat === 'number' &&
    (nbf === undefined || (typeof nbf === 'number' && nbf <= now));
  const isForUs = Array.isArray(aud) ? aud.includes(audience) : aud === audience;
  if (!isCurrent || !isForUs || iss !== issuer || typeof sub !== 'string') {
    throw new Refused(401, 'The token is refused.');
  }
  if (typeof scopes !== 'string' || !scopes.split(' ').includes(scope)) {
    throw new Refused(403, `The token lacks ${scope}.`);
  }
  return sub;
}

function decoded(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    throw new Refused(401, 'The token is refused.');
  }
}
