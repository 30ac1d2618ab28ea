import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';
import { OWNER_ONLY } from './data-folder.ts';
import { listenOn, refuseForeign } from './local-server.ts';

const TOKEN_LIFETIME_S = 3600;

interface IssuerOptions {
  /** Keeps the signing key and the port, so that tokens outlive a restart. */
  file: string;
  port: number;
  audience: string;
  tenantClaim: string | undefined;
  /** One per operation; may contain duplicates. */
  scopes: readonly string[];
  allowedOrigins: readonly string[];
}

/** `key` is a private JWK. */
interface Kept {
  key: Record<string, unknown>;
  port: number;
}

interface Issuer {
  url: string;
  tokenEndpoint: string;
  jwksUri: string;
  stop(): void;
}

/**
 * Grants any client the scopes it asks for, or all. With `tenant`, `subject` and `expires_in` (seconds) in the token
 * request, a developer can cause authentication errors. If `port` is 0 or in use, the issuer takes the port of its last
 * start, or else a free one.
 */
export async function startIssuer(options: IssuerOptions): Promise<Issuer> {
  const { file, audience, tenantClaim, allowedOrigins } = options;
  const kept: Kept | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : undefined;
  const issuer = new OAuth2Issuer();
  const key = kept ? await issuer.keys.add(kept.key) : await issuer.keys.generate('RS256');
  const service = new OAuth2Service(issuer);
  const allScopes = [...new Set(options.scopes)].join(' ');
  service.on('beforeTokenSigning', ({ header, payload }, request) => {
    const wanted: Readonly<Record<string, unknown>> = { ...request.body };
    header.typ = 'at+jwt';
    Object.assign(payload, {
      sub: text(wanted.subject) ?? 'local-user',
      aud: audience,
      client_id: text(wanted.client_id) ?? 'local-client',
      scope: wanted.scope ?? allScopes,
      exp: Math.floor(Date.now() / 1000) + Number(wanted.expires_in ?? TOKEN_LIFETIME_S),
      // An empty `tenant` leaves out the claim.
      ...(tenantClaim !== undefined && {
        [tenantClaim]: wanted.tenant === undefined ? 'default' : text(wanted.tenant),
      }),
    });
  });
  const server = createServer(refuseForeign(service.requestHandler, allowedOrigins));
  const port = await listenOn(server, options.port || (kept?.port ?? 0))
    .catch(() => listenOn(server, kept?.port ?? 0))
    .catch(() => listenOn(server, 0));
  writeFileSync(`${file}.new`, JSON.stringify({ key, port }), { mode: OWNER_ONLY.file });
  renameSync(`${file}.new`, file);
  const url = `http://127.0.0.1:${port}`;
  issuer.url = url;
  return {
    url,
    tokenEndpoint: `${url}/token`,
    jwksUri: `${url}/jwks`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
