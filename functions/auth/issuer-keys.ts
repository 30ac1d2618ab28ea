import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { importJWK, type JSONWebKeySet, type JWK } from 'jose';
import { readBody } from '../runtime/read-body.ts';

const TIMEOUT_MS = 1000;
const LIMIT_BYTES = 262_144;
/** NIST SP 800-131A allows no shorter modulus of RSA. */
const SHORTEST_MODULUS_BITS = 2048;

/**
 * Fetches the keys of an OpenID Connect issuer that may sign access tokens: RSA keys of 2048 bits
 * or more and P-256 keys, the public members alone.
 * @param issuer the issuer's identifier, whose discovery document names the keys' address
 *   (OpenID Connect Discovery 1.0, section 4) where `jwksUri` does not.
 * @throws where the issuer does not answer with such keys within one second in all.
 */
export async function fetchIssuerKeys(
  issuer: string,
  jwksUri: string | undefined,
): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const document = await fetchObject(jwksUri ?? (await discover(issuer, signal)), signal);
  const listed: unknown[] = Array.isArray(document.keys) ? document.keys : [];
  const keys = await usable(listed.map(signingKey).filter((key) => key !== undefined));
  if (keys.length === 0) throw new Error('The issuer lists no key for RS256 or ES256.');
  return { keys };
}

async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: jwksUri } = await fetchObject(address, signal);
  if (named !== issuer) throw new Error('The discovery document names another issuer.');
  if (typeof jwksUri !== 'string') throw new Error('The discovery document has no jwks_uri.');
  if (URL.parse(issuer)?.protocol === 'https:' && URL.parse(jwksUri)?.protocol !== 'https:') {
    throw new Error('The jwks_uri of an https issuer must be https.');
  }
  return jwksUri;
}

/** By Node's own client: `fetch` would load undici, which makes a cold start a quarter longer. */
async function fetchObject(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { get } = new URL(address).protocol === 'https:' ? https : http;
  const headers = { Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // No connection is kept: until the next fetch, in minutes, its peer would have closed it.
  const options = { signal, headers, agent: false };
  const request = get(address, options, resolve).on('error', reject);
  try {
    const answer = await promise;
    if (answer.statusCode !== 200) throw new Error(`The issuer answered ${answer.statusCode}.`);
    const parsed: unknown = JSON.parse(String(await readBody(answer, LIMIT_BYTES)));
    if (!isRecord(parsed)) throw new Error('The issuer answered with something not an object.');
    return parsed;
  } catch (error) {
    request.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

/** Whether a key's owner lets it verify signatures (RFC 7517, sections 4.2 and 4.3). */
function mayVerify({ use, key_ops: operations }: Record<string, unknown>): boolean {
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'))) {
    return false;
  }
  return use === undefined || use === 'sig';
}

/** The keys that are what they say: one that is damaged would have good tokens refused. */
async function usable(keys: readonly JWK[]): Promise<JWK[]> {
  const checked = await Promise.allSettled(keys.map(checkedKey));
  return checked.flatMap((check) => (check.status === 'fulfilled' ? [check.value] : []));
}

/** WebCrypto imports an RSA key of any text: what is no base64url is a modulus of no bits. */
async function checkedKey(key: JWK): Promise<JWK> {
  const isRsa = key.kty === 'RSA';
  const { algorithm } = Object(await importJWK(key, isRsa ? 'RS256' : 'ES256'));
  if (isRsa && algorithm.modulusLength < SHORTEST_MODULUS_BITS) throw new Error('Too short.');
  return key;
}

function signingKey(value: unknown): JWK | undefined {
  if (!isRecord(value) || !mayVerify(value)) return undefined;
  const { kty, crv, n, e, x, y } = value;
  const named = {
    ...(typeof value.kid === 'string' && { kid: value.kid }),
    ...(typeof value.alg === 'string' && { alg: value.alg }),
  };
  if (kty === 'RSA' && typeof n === 'string' && typeof e === 'string') {
    return { kty, n, e, ...named };
  }
  if (kty === 'EC' && crv === 'P-256' && typeof x === 'string' && typeof y === 'string') {
    return { kty, crv, x, y, ...named };
  }
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
