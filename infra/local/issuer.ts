import { OAuth2Server } from 'oauth2-mock-server';

/** The audience of tokens for the local service. */
export const AUDIENCE = 'recruitment-local';
/** The claim that holds the tenant in local tokens. */
export const TENANT_CLAIM = 'tenant';

const LIFETIME_S = 3600;

/** An OpenID Connect issuer that listens on this machine. */
export interface Issuer {
  url: string;
  tokenEndpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts an issuer on a port of 127.0.0.1, or on a free one if that is in use: discovery, JWKS, and a token
 * endpoint that gives a token to any client. Besides the standard parameters it takes `tenant`, `subject`
 * and `expires_in` (seconds), so that a developer can see each error.
 */
export async function startIssuer(wantedPort: number): Promise<Issuer> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  server.service.on('beforeTokenSigning', ({ header, payload }, request) => {
    const wanted: Readonly<Record<string, unknown>> = { ...request.body };
    const subject = text(wanted.subject) ?? 'local-user';
    header.typ = 'at+jwt';
    Object.assign(payload, {
      sub: subject,
      aud: AUDIENCE,
      client_id: text(wanted.client_id) ?? 'local-client',
      exp: Math.floor(Date.now() / 1000) + Number(wanted.expires_in ?? LIFETIME_S),
      // An empty parameter leaves the claim out.
      [TENANT_CLAIM]: wanted.tenant === undefined ? 'default' : text(wanted.tenant),
    });
  });
  await server.start(wantedPort, '127.0.0.1').catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return server.start(0, '127.0.0.1');
  });
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}`;
  server.issuer.url = url;
  return { url, tokenEndpoint: `${url}/token`, stop: () => server.stop() };
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
