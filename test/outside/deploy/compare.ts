// Sends the same requests to the deployed API and to `npm start`, and fails if a response differs for a reason that is not listed here.
// Both have infra/local/sample-data.ndjson, an invalid item and the policy `lifecycle`.
// Usage: node test/outside/deploy/compare.ts '{"deployed": TARGET, "local": TARGET}', where TARGET is {"url", "token", "reader"}
import { type IncomingHttpHeaders, request as insecure } from 'node:http';
import { request as secure } from 'node:https';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

interface Target {
  url: string;
  token: string;
  reader: string;
}

interface Response {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

type Sent = [method: string, path: string, headers?: Record<string, string>, body?: string];

const READ = '/v1/jobs/4007/applications/c-1002';
const STATUS = '/v1/jobs/4007/status';
const json = { 'content-type': 'application/json' };
const set = (status: string) => JSON.stringify({ status });
const long = 'x'.repeat(257);

/** The order matters: some requests change the status of the job 4007. A header may contain TOKEN or READER. */
const requests: Sent[] = [
  ['GET', READ],
  ['GET', `${READ}?fields=name&fields=email`],
  ['GET', '/v1/jobs/gh:4007/applications/gh:88213'],
  ['GET', '/v1/jobs/gh%3A4007/applications/gh%3a88213'],
  ['GET', '/v1/jobs/gh%3A4007/applications/Y2FuZGlkYXRl%2Bw%3D%3D'],
  ['GET', '/v1/jobs/gh%3A4007/applications/Y2FuZGlkYXRl+w=='],
  ['GET', '/v1/jobs/gh%3A4007/applications/c%231010'],
  ['GET', '/v1/jobs/4007/applications/unknown'],
  ['GET', '/v1/jobs/unknown/applications/c-1002'],
  ['GET', '/v1/jobs/4007/applications/broken'],
  ['GET', '/v1/jobs/4007/applications/%E7%8E%8B'],
  ['GET', '/v1/jobs/4007/applications/%F0%9F%98%80'],
  ['GET', '/v1/jobs/4007/applications/a%2Fb'],
  ['GET', '/v1/jobs/4007/applications/a%252Fb'],
  ['GET', '/v1/jobs/4007/applications/a%3Fb'],
  ['GET', '/v1/jobs/4007/applications/a%20b'],
  ['GET', '/v1/jobs/4007/applications/%00'],
  ['GET', '/v1/jobs/4007/applications/%0A'],
  ['GET', '/v1/jobs/4007/applications/%FF'],
  ['GET', '/v1/jobs/4007/applications/%ZZ'],
  ['GET', '/v1/jobs/4007/applications/..'],
  ['GET', '/v1/jobs/4007/applications/%2E%2E'],
  ['GET', `/v1/jobs/4007/applications/${long}`],
  ['GET', `/v1/jobs/${long}/applications/c-1002`],
  ['GET', '/v1/jobs//applications/c-1002'],
  ['GET', `${READ}/`],
  ['GET', '/v1/jobs/4007/applications'],
  ['GET', '/v2/jobs/4007/applications/c-1002'],
  ['GET', '/V1/jobs/4007/applications/c-1002'],
  ['GET', '/'],
  ['POST', READ, json, '{}'],
  ['HEAD', READ],
  ['DELETE', READ],
  ['OPTIONS', READ, { origin: 'https://app.example.com' }],
  ['GET', READ, { authorization: '' }],
  ['GET', READ, { authorization: 'Bearer' }],
  ['GET', READ, { authorization: 'Basic dXNlcjpwYXNzd29yZA==' }],
  ['GET', READ, { authorization: 'Bearer not-a-token' }],
  ['GET', READ, { authorization: 'Bearer TOKENx' }],
  ['GET', READ, { authorization: 'bearer TOKEN' }],
  ['GET', READ, { authorization: 'Bearer  TOKEN' }],
  ['GET', READ, { authorization: 'DPoP TOKEN' }],
  ['PATCH', STATUS, { ...json, authorization: 'Bearer READER' }, set('published')],
  ['PATCH', STATUS, json, set('published')],
  ['PATCH', STATUS, json, set('published')],
  ['PATCH', STATUS, json, set('draft')],
  ['PATCH', STATUS, { ...json, 'if-match': '"1"' }, set('paused')],
  ['PATCH', STATUS, { ...json, 'if-match': 'W/"2"' }, set('paused')],
  ['PATCH', STATUS, { ...json, 'if-match': 'two' }, set('paused')],
  ['PATCH', STATUS, { ...json, 'if-match': '"1", "2"' }, set('paused')],
  ['PATCH', STATUS, { ...json, 'if-match': '*' }, set('published')],
  ['PATCH', '/v1/jobs/unknown/status', json, set('paused')],
  ['PATCH', '/v1/jobs/gh%3A4007/status', json, set('closed')],
  ['PATCH', STATUS, { 'content-type': 'application/json; charset=utf-8' }, set('published')],
  ['PATCH', STATUS, { 'content-type': 'APPLICATION/JSON' }, set('published')],
  ['PATCH', STATUS, {}, set('paused')],
  ['PATCH', STATUS, { 'content-type': 'text/plain' }, set('paused')],
  ['PATCH', STATUS, { 'content-type': 'application/merge-patch+json' }, set('paused')],
  ['PATCH', STATUS, { ...json, 'content-encoding': 'gzip' }, set('paused')],
  ['PATCH', STATUS, json, ''],
  ['PATCH', STATUS, json, '{"status": "paused"'],
  ['PATCH', STATUS, json, '\uFEFF{"status": "paused"}'],
  ['PATCH', STATUS, json, 'null'],
  ['PATCH', STATUS, json, '[]'],
  ['PATCH', STATUS, json, set('smoking')],
  ['PATCH', STATUS, json, '{"status": ["paused"]}'],
  ['PATCH', STATUS, json, '{"status": "paused", "force": true}'],
  ['PATCH', STATUS, json, '{"__proto__": {}, "status": "paused"}'],
  ['PATCH', STATUS, json, `{"status": "paused"${' '.repeat(1024)}}`],
];

/** What must differ, with the reason. Everything else must be equal. */
const differences: { sent: RegExp; reason: string }[] = [
  {
    sent: /\/%(FF|ZZ)$/,
    reason:
      'only an account shows what API Gateway does; the emulator decodes it, npm start refuses it',
  },
  {
    sent: /%252F/,
    reason: 'API Gateway decodes a path twice, as npm start does; the emulator decodes it once',
  },
  { sent: /^GET \/$/, reason: 'npm start shows its reference page here' },
  { sent: /READER/, reason: 'a user pool has recruitment/ before its scopes' },
  { sent: /^OPTIONS/, reason: "npm start refuses other sites' pages in words of its own" },
];

const OF_A_RESPONSE = new Set([
  'apigw-requestid',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

async function send({ url, token, reader }: Target, [method, path, headers, body]: Sent) {
  const { protocol, hostname, port } = new URL(url);
  const fill = (value: string) => value.replace('TOKEN', token).replace('READER', reader);
  const all = Object.entries({ authorization: 'Bearer TOKEN', ...headers });
  const options = {
    hostname,
    port,
    method,
    path,
    headers: Object.fromEntries(all.map(([name, value]) => [name, fill(value)])),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sent = (protocol === 'https:' ? secure : insecure)(options, async (response) => {
    const received = await text(response);
    const kept = Object.entries(response.headers).filter(([name]) => !OF_A_RESPONSE.has(name));
    const requestId = response.headers['x-request-id'];
    resolve({
      status: response.statusCode,
      headers: Object.fromEntries(
        kept.map(([name, value]) => [name, value === requestId ? 'ID' : value]),
      ),
      body: typeof requestId === 'string' ? received.replaceAll(requestId, 'ID') : received,
    });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

const [argument = ''] = process.argv.slice(2);
const { deployed, local }: { deployed: Target; local: Target } = JSON.parse(argument);
const [statuses, excused, wrong]: [Set<number | undefined>, string[], string[]] = [
  new Set(),
  [],
  [],
];
for (const each of requests) {
  const [method, path, headers, body] = each;
  const name = [method, path, JSON.stringify(headers), body]
    .filter(Boolean)
    .join(' ')
    .slice(0, 150);
  const [there, here] = [await send(deployed, each), await send(local, each)];
  statuses.add(there.status);
  const reason = differences.find(({ sent }) => sent.test(name))?.reason;
  if (isDeepStrictEqual(there, here) === (reason === undefined)) {
    if (reason !== undefined) excused.push(`${name}: ${reason}`);
    continue;
  }
  const found =
    reason === undefined
      ? JSON.stringify({ there, here }, undefined, 1)
      : `no longer differs: ${reason}`;
  wrong.push(`${name}: ${found}`);
}
const met = [...statuses].sort().join(', ');
process.stdout.write([...excused, ...wrong, ''].join('\n'));
process.stdout.write(
  `${requests.length} requests got ${met} from the deployed bundles; npm start differs in ${excused.length}, each with a reason\n`,
);
process.exitCode = wrong.length > 0 ? 1 : 0;
