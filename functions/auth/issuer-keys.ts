import { createPublicKey, type JsonWebKey } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { JSONWebKeySet, JWK } from 'jose';
import { isObject } from '../domain/object.ts';
import { abortAfterTicks } from '../runtime/abort.ts';
import { readBody } from '../runtime/read-body.ts';

/** The maximum size of a response of the issuer, in bytes. */
const MAX_BYTES = 262_144;
/** The minimum length of an RSA modulus according to NIST SP 800-131A. */
const MIN_MODULUS_BITS = 2048;

/**
 * Fetches the keys with which an OpenID Connect issuer signs access tokens. Returns RSA keys of 2048 bits or more and
 * P-256 keys, without their private members.
 *
 * @param issuer the issuer's identifier, which is a URL.
 * @param jwksUri the URL of the issuer's keys. If `jwksUri` is undefined, the function reads the URL from the issuer's
 *   discovery document (OpenID Connect Discovery 1.0, section 4).
 * @param timeoutMs the time limit for fetching the discovery document and the keys together, in milliseconds.
 *   `abortAfterTicks` measures the time.
 * @throws Error if the issuer does not return at least one such key in time.
 */
export async function fetchIssuerKeys(
  issuer: string,
  jwksUri: string | undefined,
  timeoutMs: number,
): Promise<JSONWebKeySet> {
  using limit = abortAfterTicks(timeoutMs);
  const { signal } = limit;
  const document = await fetchObject(jwksUri ?? (await discover(issuer, signal)), signal);
  const listed: unknown[] = Array.isArray(document.keys) ? document.keys : [];
  const keys = listed.map(signingKey).filter((key) => key !== undefined);
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

/**
 * Fetches a JSON object with `node:http` or `node:https`. The global `fetch` would load the undici library, and a cold
 * start would take a quarter longer.
 */
async function fetchObject(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { get } = new URL(address).protocol === 'https:' ? https : http;
  const headers = { Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Do not keep the connection open. The issuer would close an idle connection before the next fetch, which is minutes
  // later.
  const options = { signal, headers, agent: false };
  const request = get(address, options, resolve).on('error', reject);
  try {
    const response = await promise;
    if (response.statusCode !== 200) throw new Error(`The issuer returned ${response.statusCode}.`);
    const parsed: unknown = JSON.parse(String(await readBody(response, MAX_BYTES)));
    if (!isObject(parsed)) throw new Error('The response of the issuer is not a JSON object.');
    return parsed;
  } catch (error) {
    request.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Returns the public members and the algorithm of a listed key. Returns undefined if the key is weak or may not verify
 * signatures (RFC 7517, sections 4.2 and 4.3). If a weak key were cached, jose would throw an error for a token that
 * selects this key. After this error, the cache would not fetch newer keys.
 *
 * Checks the modulus and the exponent of RSA keys, because Node.js does not check them. Node.js reads a modulus that is
 * not base64url as a modulus of 0 bits, and accepts invalid exponents (RFC 8017, section 3.1). With the exponent 1,
 * anyone can forge signatures.
 */
function signingKey(listed: unknown): JWK | undefined {
  if (!isObject(listed)) return undefined;
  try {
    const { kid, alg, use = 'sig', key_ops: uses = ['verify'] } = listed;
    const members: JsonWebKey = {};
    // Copy only the public members (RFC 7518, section 6). If an issuer publishes private members by mistake, the
    // service ignores them.
    for (const name of ['kty', 'n', 'e', 'crv', 'x', 'y']) {
      const value = listed[name];
      if (typeof value === 'string') members[name] = value;
    }
    const key = createPublicKey({ key: members, format: 'jwk' });
    const { modulusLength = 0, publicExponent = 0n, namedCurve } = { ...key.asymmetricKeyDetails };
    const isStrongRsa =
      modulusLength >= MIN_MODULUS_BITS && publicExponent >= 3n && publicExponent % 2n === 1n;
    const isP256 = namedCurve === 'prime256v1';
    const algorithm = isStrongRsa ? 'RS256' : isP256 ? 'ES256' : undefined;
    if (!algorithm || use !== 'sig' || (alg !== undefined && alg !== algorithm)) return undefined;
    if (!Array.isArray(uses) || !uses.includes('verify')) return undefined;
    const jwk = { ...key.export({ format: 'jwk' }), alg: algorithm };
    return typeof kid === 'string' ? { ...jwk, kid } : jwk;
  } catch {
    return undefined;
  }
}
