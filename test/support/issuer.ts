import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { operationNames, operations } from '../../functions/operations/operations.ts';
import { portOf } from './server.ts';

export const AUDIENCE = 'recruitment-tests';
export const SCOPES = operationNames.map((name) => operations[name].scope).join(' ');

export interface SigningKey {
  alg: 'RS256' | 'ES256';
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

/** A `TestIssuer` publishes a new key only once the `jwk` is in `published`. */
export async function signingKey(alg: SigningKey['alg'] = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = crypto.randomUUID();
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { alg, kid, privateKey, publicKey, jwk };
}

/** `text` is the correct response. */
export type Responder = (response: ServerResponse, url: string, text: string) => unknown;

type Overrides = Readonly<Record<string, unknown>>;

export class TestIssuer {
  readonly #server: Server;
  readonly url: string;
  /** Signs tokens by default. */
  readonly key: SigningKey;
  /** `down` drops the connection, `slow` never responds. */
  behaviour: 'up' | 'down' | 'slow' | Responder = 'up';
  published: unknown[];
  discovery: Record<string, unknown>;
  requests: string[] = [];

  private constructor(server: Server, key: SigningKey) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
    this.key = key;
    this.published = [key.jwk];
    this.discovery = { issuer: this.url, jwks_uri: `${this.url}/jwks` };
    server.on('request', (request, response) => this.#respond(request, response));
  }

  static async start(): Promise<TestIssuer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestIssuer(server, await signingKey());
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  mint(claims: Overrides = {}, header: Overrides = {}, key = this.key): Promise<string> {
    const protectedHeader: Record<string, unknown> = {
      alg: key.alg,
      kid: key.kid,
      typ: 'at+jwt',
      ...header,
    };
    return new SignJWT(this.claims(claims))
      .setProtectedHeader(protectedHeader as unknown as JWTHeaderParameters)
      .sign(key.privateKey);
  }

  claims(overrides: Overrides = {}): Record<string, unknown> {
    const now = nowInSeconds();
    return {
      iss: this.url,
      aud: AUDIENCE,
      sub: 'user-1',
      client_id: 'client-1',
      scope: `openid ${SCOPES}`,
      iat: now,
      exp: now + 600,
      ...overrides,
    };
  }

  #respond({ url = '' }: IncomingMessage, response: ServerResponse): void {
    this.requests.push(url);
    const document = /\/jwks(?:\?|$)/.test(url) ? { keys: this.published } : this.discovery;
    const text = JSON.stringify(document);
    if (typeof this.behaviour === 'function') this.behaviour(response, url, text);
    else if (this.behaviour === 'up') response.end(text);
    else if (this.behaviour === 'down') response.destroy();
  }
}

export const nowInSeconds = () => Math.floor(Date.now() / 1000);
