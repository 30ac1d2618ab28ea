// Runs a client of docs/clients by its command, once for each scenario against a server that plays it, and checks what
// it prints, how many tokens it gets and how long it takes. Each client starts with two requests at once.
// Usage: node scripted.mjs COMMAND [ARGUMENT…]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const contract = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url)));
const read = contract.paths['/v1/jobs/{id}/applications/{candidate_id}'].get;
const application = read.responses['200'].content['application/json'].example;

const problem = (status, code, members = {}, headers = {}) => ({
  status,
  headers,
  body: { type: code, title: code, status, detail: code, code, request_id: 'r-1', ...members },
});
const set = { status: 200, headers: { ETag: '"8"' }, body: { success: true } };
const mismatch = (etag) => problem(412, 'version_mismatch', {}, { ETag: etag });
const unavailable = (members, after = '0') =>
  problem(503, 'unavailable', members, { 'Retry-After': after });
const unknown = { outcome_unknown: true };
const rejected = problem(401, 'invalid_token');
const gateway = (status) => ({ status, headers: {}, body: { message: 'Internal Server Error' } });
const tooMany = { status: 429, headers: {}, body: { message: 'Too Many Requests' } };
/** Instead of a response, the server closes the connection, or does nothing. */
const lost = { status: 0 };
const silence = { status: -1 };

/**
 * The responses to the attempts to set the status; what the client prints: the outcome, whether an attempt was lost, the
 * version; how many tokens it gets, and how many seconds it takes, at least and at most.
 */
const scenarios = [
  ['no fault', [set], 'set false "8"'],
  ['lost, then set', [lost, set], 'set true "8"'],
  ['lost, then its own version', [lost, mismatch('"8"')], 'probably set true "8"'],
  ['lost, then another version', [lost, mismatch('"9"')], 'changed by others true "9"'],
  ['not lost, another version', [mismatch('"8"')], 'changed by others false "8"'],
  ['503, outcome unknown', [unavailable(unknown), mismatch('"8"')], 'probably set true "8"'],
  ['503, nothing changed', [unavailable(), mismatch('"8"')], 'changed by others false "8"'],
  ['503, then 401', [unavailable(), rejected, set], 'set false "8"', { tokens: 2 }],
  ['lost, then 401', [lost, rejected, set], 'set true "8"', { tokens: 2 }],
  ['401 twice', [rejected, rejected], 'not set false', { tokens: 2 }],
  ['403', [problem(403, 'insufficient_scope')], 'not set false'],
  ['404', [problem(404, 'job_not_found')], 'no such job false'],
  ['409', [problem(409, 'transition_refused')], 'not allowed false'],
  ['429 of API Gateway', [tooMany, set], 'set false "8"'],
  ['429 to the end', [tooMany, tooMany, tooMany, tooMany], 'not set false'],
  ['503 to the end', Array(4).fill(unavailable(unknown)), 'unknown true'],
  ['lost to the end', Array(4).fill(lost), 'unknown true'],
  ['500 of API Gateway', [gateway(500), set], 'set true "8"'],
  ['503 of API Gateway', [gateway(503), set], 'set true "8"'],
  ['500 of the service', [problem(500, 'internal')], 'unknown true'],
  ['seconds', [unavailable({}, '6'), set], 'set false "8"', { least: 6 }],
  ['date', [unavailable({}, 8), set], 'set false "8"', { least: 7 }],
  ['expiry', [unavailable({}, '3'), set], 'set false "8"', { tokens: 2, expiresIn: 62 }],
  ['time-out', [silence, set], 'set true "8"', { least: 10, most: 25 }],
  ['signal', [unavailable({}, '3600')], 'not set false', { least: 20, most: 45 }],
  ['signal, no response', Array(3).fill(silence), 'unknown true', { least: 20, most: 45 }],
  ['signal, lost', [unavailable(unknown, '3600')], 'unknown true', { least: 20, most: 45 }],
];

async function play([name, script, outcome, expected = {}]) {
  const { tokens = 1, expiresIn = 3600, least = 0, most = 60 } = expected;
  const responses = [...script];
  let issued = 0;
  const server = createServer(async (request, response) => {
    await text(request);
    const send = ({ status, headers, body }) => {
      if (status === -1) return;
      if (status === 0) return request.socket.destroy();
      const after = headers['Retry-After'];
      const date = () => new Date(Date.now() + after * 1000).toUTCString();
      const isDate = typeof after === 'number';
      const all = { 'Content-Type': 'application/json', ...headers };
      response.writeHead(status, isDate ? { ...all, 'Retry-After': date() } : all);
      response.end(JSON.stringify(body));
    };
    if (request.url === '/token') {
      issued += 1;
      const body = { access_token: `${issued}`, token_type: 'Bearer', expires_in: expiresIn };
      setTimeout(send, 200, { status: 200, headers: {}, body });
    } else if (!request.headers.authorization?.startsWith('Bearer ')) {
      send(problem(401, 'unauthenticated'));
    } else if (request.method === 'GET') {
      const isKnown = request.url.endsWith('/c-1001');
      send(isKnown ? { status: 200, headers: {}, body: application } : problem(404, 'unknown'));
    } else if (request.headers['if-match'] === '"0"') {
      send(mismatch('"7"'));
    } else {
      send(responses.shift() ?? problem(418, 'unexpected'));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const BASE_URL = `http://127.0.0.1:${server.address().port}`;
  const env = { ...process.env, BASE_URL, TOKEN_ENDPOINT: `${BASE_URL}/token` };
  const started = performance.now();
  const client = spawn(process.argv[2], process.argv.slice(3), { env, timeout: 60_000 });
  const [printed, errors] = await Promise.all([text(client.stdout), text(client.stderr)]);
  const seconds = (performance.now() - started) / 1000;
  server.closeAllConnections();
  server.close();
  const last = printed.trim().split('\n').at(-1).replaceAll(/\s+/g, ' ').trim();
  const faults = [
    last.toLowerCase() !== outcome && `printed ${last}`,
    issued !== tokens && `got ${issued} tokens`,
    responses.length > 0 && `${responses.length} attempts fewer than expected`,
    (seconds < least || seconds > most) && `took ${seconds} s`,
  ].filter(Boolean);
  const isGood = faults.length === 0;
  process.stdout.write(
    isGood ? `ok ${name}\n` : `FAILED ${name}: ${faults.join(', ')}\n${errors}\n`,
  );
  if (!isGood) process.exitCode = 1;
}

// Four at a time: a busy machine makes none of them late.
const waiting = [...scenarios].reverse();
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await play(next);
};
await Promise.all(Array.from({ length: 4 }, worker));
