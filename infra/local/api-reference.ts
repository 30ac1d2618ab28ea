import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceState } from '../command/service-state.ts';
import { root } from '../project.ts';
import type { GatewayResponse, ServePage } from './gateway.ts';
import { requestToken } from './token.ts';

/** Inline styles are allowed: the renderer inserts style elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function createApiReference({
  issuer,
  tokenEndpoint,
}: Pick<ServiceState, 'issuer' | 'tokenEndpoint'>): ServePage {
  const advice =
    tokenEndpoint === undefined
      ? `Enter an access token of ${issuer} under Authentication.`
      : 'Reload the page after an hour for a new token.';
  let renderer: Promise<string> | undefined;
  return async ({ method, url, headers: { host = '' } }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    switch (url?.replace(/\?.*/, '')) {
      case '/':
        return { statusCode: 302, headers: { location: '/docs' }, body: '' };
      case '/openapi.json':
        return responseWith('application/json', localDocument(host, advice));
      case '/docs/renderer.js':
        renderer ??= readRenderer();
        return responseWith('text/javascript', await renderer);
      case '/docs/console.js':
        return responseWith('text/javascript', readOwn('console.js'));
      case '/docs/console.css':
        return responseWith('text/css', readOwn('console.css'));
      case '/docs':
        return responseWith(
          'text/html',
          page(tokenEndpoint && (await requestToken(tokenEndpoint))),
        );
      default:
        return undefined;
    }
  };
}

const readOwn = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

const responseWith = (type: string, body: string): GatewayResponse => ({
  statusCode: 200,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body,
});

/**
 * Drops examples that the console would misuse: it would list those in parameters' schemas, and send those of optional
 * parameters.
 */
function localDocument(host: string, advice: string): string {
  const published = readFileSync(join(root, 'docs/openapi.json'), 'utf8');
  const document = JSON.parse(published, (_, value) => {
    if (value?.schema === undefined || value.in === undefined) return value;
    const { example, schema, ...parameter } = value;
    const { examples, ...plain } = schema;
    return { ...parameter, schema: plain, ...(parameter.required && { example }) };
  });
  const description = `The service on this machine. ${advice}`;
  return JSON.stringify({ ...document, servers: [{ url: `http://${host}`, description }] });
}

/** Options: https://scalar.com/products/api-references/configuration */
const configuration = (token = '') =>
  JSON.stringify({
    url: '/openapi.json',
    authentication: {
      preferredSecurityScheme: 'accessToken',
      securitySchemes: { accessToken: { token } },
    },
    persistAuth: false,
    // No requests to other hosts, and no features that need them.
    proxyUrl: '',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',

    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
  }).replaceAll('"', '&quot;');

const page = (token?: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Recruitment Service API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/console.css">
  </head>
  <body>
    <button id="skip-link" type="button">Skip to the first request</button>
    <div id="failure" role="alert" popover="manual">
      <span></span>
      <button type="button" popovertarget="failure" popovertargetaction="hide">Close</button>
    </div>
    <script src="/docs/console.js"></script>
    <script id="api-reference" data-configuration="${configuration(token)}"></script>
    <script src="/docs/renderer.js"></script>
  </body>
</html>
`;

/** Scalar's script. Of the packages that contain it, the Fastify plugin has the fewest dependencies. */
async function readRenderer(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reply = { header: () => reply, send: resolve };
  const fastify = {
    route({ url, handler }: { url: string; handler: (request: object, to: typeof reply) => void }) {
      if (url.endsWith('.js')) handler({}, reply);
    },
  };
  plugin(fastify, { configuration: { url: '/openapi.json' } }, () =>
    reject(new Error('@scalar/fastify-api-reference serves no script.')),
  );
  return promise;
}
