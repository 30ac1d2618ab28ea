import { createServer } from 'node:http';
import { OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';
import { listenOn, refuseForeign } from './local-server.ts';

/** The audience of tokens for the local service. */
export const AUDIENCE = 'recruitment-local';
/** The claim that holds the tenant in local tokens. */
export const TENANT_CLAIM = 'tenant';

const LIFETIME_S = 3600;

/** An OpenID Connect issuer that listens on this machine. */
interface Issuer {
  url: string;
  tokenEndpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts an issuer on a port of 127.0.0.1, or on a free port if that port is in use. The issuer has discovery, a JWKS,
 * and a token endpoint that gives a token to any client. The endpoint also accepts the parameters `tenant`, `subject`
 * and `expires_in` (seconds), so that a developer can cause each authentication error.
 * @param allowedOrigins the origins whose pages may get a token.
 */
export async function startIssuer(
  wantedPort: number,
  allowedOrigins?: () => readonly string[],
): Promise<Issuer> {
  const issuer = new OAuth2Issuer();
  await issuer.keys.generate('RS256');
  const service = new OAuth2Service(issuer);
  service.on('beforeTokenSigning', ({ header, payload }, request) => {
    const wanted: Readonly<Record<string, unknown>> = { ...request.body };
    const subject = text(wanted.subject) ?? 'local-user';
    header.typ = 'at+jwt';
    Object.assign(payload, {
      sub: subject,
      aud: AUDIENCE,
      client_id: text(wanted.client_id) ?? 'local-client',
      exp: Math.floor(Date.now() / 1000) + Number(wanted.expires_in ?? LIFETIME_S),
      // If the `tenant` parameter is empty, leave out the claim.
      [TENANT_CLAIM]: wanted.tenant === undefined ? 'default' : text(wanted.tenant),
    });
  });
  const server = createServer(refuseForeign(service.requestHandler, allowedOrigins));
  const port = await listenOn(server, wantedPort).catch(() => listenOn(server, 0));
  const url = `http://127.0.0.1:${port}`;
  issuer.url = url;
  return {
    url,
    tokenEndpoint: `${url}/token`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
