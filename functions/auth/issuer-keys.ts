import { createPublicKey, type JsonWebKey } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { JSONWebKeySet, JWK } from 'jose';
import { invalidToken, unusableIssuer, wrongDiscovery } from '../contract/problem.ts';
import { isObject } from '../domain/own-value.ts';
import { abortAfterTicks } from '../platform/abortable.ts';
import { ADDRESS_TEMPLATE, plainAddress } from '../platform/log.ts';
import { readBody } from '../platform/read-body.ts';

const MAX_DOCUMENT_BYTES = 262_144;
/** From NIST SP 800-131A. */
const MIN_MODULUS_BITS = 2048;

/**
 * Returns only strong keys for RS256 and ES256.
 * @param jwksUri by default from the discovery document (OpenID Connect Discovery 1.0, section 4).
 * @param timeoutMs for the discovery document and the keys together.
 * @throws Problem `unavailable` if the issuer answers, but not with keys (such as with 404, or with another issuer's
 *   discovery document); `invalid_token` if all its keys are weak or for other algorithms; Error if no JSON arrives in
 *   time.
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
  const found = listed.map(signingKey);
  const keys = found.filter((key) => typeof key === 'object');
  if (keys.length > 0) return { keys };
  throw found.includes('other')
    ? invalidToken('no_accepted_key')
    : unusableIssuer('No key is listed.');
}

async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: jwksUri } = await fetchObject(address, signal);
  if (named !== issuer) throw wrongDiscovery(plainAddress(named, ADDRESS_TEMPLATE));
  if (typeof jwksUri !== 'string') throw unusableIssuer('The discovery document has no jwks_uri.');
  if (URL.parse(issuer)?.protocol === 'https:' && URL.parse(jwksUri)?.protocol !== 'https:') {
    throw unusableIssuer('The jwks_uri of an https issuer must be https.');
  }
  return jwksUri;
}

/** Avoids `fetch`, which would load undici and lengthen cold starts. */
async function fetchObject(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { get } = new URL(address).protocol === 'https:' ? https : http;
  const headers = { Accept: 'application/json', 'Accept-Encoding': 'identity' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // No keep-alive: by the next fetch, minutes later, the issuer would have closed the connection.
  const options = { signal, headers, agent: false };
  const request = get(address, options, resolve).on('error', reject);
  try {
    const response = await promise;
    if (response.statusCode !== 200) throw unusableIssuer(statusFault(response));
    // `TextDecoder` skips a byte order mark, which `JSON.parse` rejects.
    const text = new TextDecoder().decode(await readBody(response, MAX_DOCUMENT_BYTES));
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) throw unusableIssuer("The issuer's response is not a JSON object.");
    return parsed;
  } catch (error) {
    request.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}

function statusFault({ statusCode = 0 }: IncomingMessage): string {
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const remedy =
    ', a redirect, which is not followed: set `jwksUri` to the final address of the keys';
  return `The issuer returned ${statusCode}${isRedirect ? remedy : ''}.`;
}

/**
 * Undefined if not a public key; `other` if weak, or not for RS256 or ES256 (RFC 7517, sections 4.2 to 4.4).
 *
 * Weak keys must go: if a token selected one, jose would throw an error after which the cache fetches no newer keys.
 * Node.js checks neither modulus nor exponent: it reads a modulus that is not base64url as 0 bits, and accepts exponent
 * 1, with which anyone can forge signatures (RFC 8017, section 3.1, requires at least 3).
 */
function signingKey(listed: unknown): JWK | 'other' | undefined {
  if (!isObject(listed)) return undefined;
  try {
    const { kid, alg, use = 'sig', key_ops: uses = ['verify'] } = listed;
    const members: JsonWebKey = {};
    // Only public members (RFC 7518, section 6): an issuer may publish private ones by mistake.
    for (const name of ['kty', 'n', 'e', 'crv', 'x', 'y']) {
      const value = listed[name];
      if (typeof value === 'string') members[name] = value;
    }
    const key = createPublicKey({ key: members, format: 'jwk' });
    const { modulusLength = 0, publicExponent = 0n, namedCurve } = { ...key.asymmetricKeyDetails };
    const isStrongRsa =
      modulusLength >= MIN_MODULUS_BITS && publicExponent >= 3n && publicExponent % 2n === 1n;
    const isP256 = namedCurve === 'prime256v1';
    const algorithm = (isStrongRsa && 'RS256') || (isP256 && 'ES256');
    if (!algorithm || use !== 'sig' || (alg !== undefined && alg !== algorithm)) return 'other';
    if (!Array.isArray(uses) || !uses.includes('verify')) return 'other';
    const jwk = { ...key.export({ format: 'jwk' }), alg: algorithm };
    return typeof kid === 'string' ? { ...jwk, kid } : jwk;
  } catch {
    return undefined;
  }
}
