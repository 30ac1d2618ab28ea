// Runs a client of docs/clients through scenarios, each against a server that plays it, and checks what its calls
// return, how long they take, and what the servers saw. A driver (drivers/) makes the calls.
// Usage: node scripted.mjs COMMAND [ARGUMENT…], the command of a driver; ONLY=TEXT selects scenarios
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const contract = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url)));
const read = contract.paths['/v1/jobs/{id}/applications/{candidate_id}'].get;
const application = read.responses['200'].content['application/json'].example;

const json = (status, body, headers = {}) => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const problem = (status, code, members = {}, headers = {}) =>
  json(
    status,
    { type: code, title: code, status, detail: code, code, request_id: 'r-1', ...members },
    { 'Content-Type': 'application/problem+json', ...headers },
  );
const html = (status) => ({
  status,
  headers: { 'Content-Type': 'text/html' },
  body: '<html><h1>Request blocked</h1></html>',
});
const set = json(200, { success: true }, { ETag: '"8"' });
const found = json(200, application);
const mismatch = (etag) => problem(412, 'version_mismatch', {}, { ETag: etag });
const unavailable = (members, after = '0') =>
  problem(503, 'unavailable', members, { 'Retry-After': after });
const unknown = { outcome_unknown: true };
const rejected = problem(401, 'invalid_token');
const internal = problem(500, 'internal');
const gateway = (status) => json(status, { message: 'Internal Server Error' });
const tooMany = json(429, { message: 'Too Many Requests' });
const elsewhere = (status) => json(status, {}, { Location: 'of another server' });
const token = (members) =>
  json(200, { access_token: 'first', token_type: 'Bearer', expires_in: 3600, ...members });
const renewed = [token(), token({ access_token: 'second' })];
const invalidClient = json(401, { error: 'invalid_client' });
const capitals = { 'Content-Type': 'Application/Problem+JSON ; charset=utf-8' };
/** Instead of a response: the connection is closed, at once or amid the body; nothing; a byte now and then; no end. */
const lost = { play: 'lost' };
const cut = { ...set, play: 'cut' };
const silence = { play: 'silence' };
const dripping = (response) => ({ ...response, play: 'drip' });
const dripOfHeaders = { play: 'headers' };
const endless = (response) => ({ ...response, play: 'endless' });

const four = (response) => Array(4).fill(response);
const times = (count, it) => Array.from({ length: count }, () => it);
const setting = { operation: 'set', job: '4007', seconds: 30, after: 0 };
const reading = { ...setting, operation: 'read' };
const none = 'not set false';

async function unusedUrl() {
  const { url, close } = await serve(() => lost);
  close();
  return url;
}

/**
 * The responses to the calls; what each call returns; and, if they differ from these: the calls, how many tokens are requested,
 * what is said of the failure, how long an attempt may take, how many seconds a call takes, at least and at most.
 */
const scenarios = [
  // What is repeated, and the outcome
  ['no fault', [set], 'set false "8"'],
  ['lost, then set', [lost, set], 'set true "8"'],
  ['lost, then its own version', [lost, mismatch('"8"')], 'probably set true "8"'],
  ['lost, then another version', [lost, mismatch('"9"')], 'changed by others true "9"'],
  ['not lost, another version', [mismatch('"8"')], 'changed by others false "8"'],
  ['503, outcome unknown', [unavailable(unknown), mismatch('"8"')], 'probably set true "8"'],
  ['503, nothing changed', [unavailable(), mismatch('"8"')], 'changed by others false "8"'],
  ['503, then 401', [unavailable(), rejected, set], 'set false "8"', { tokens: 2 }],
  ['lost, then 401', [lost, rejected, set], 'set true "8"', { tokens: 2 }],
  ['401 twice', [rejected, rejected], none, { tokens: 2 }],
  ['401, 503, 401', [rejected, unavailable(), rejected], none, { tokens: renewed }],
  ['403', [problem(403, 'insufficient_scope')], none, { reason: 'insufficient_scope' }],
  ['404', [problem(404, 'job_not_found')], 'no such job false'],
  ['404 of API Gateway', [json(404, { message: 'Not Found' })], none],
  ['409', [problem(409, 'transition_refused')], 'not allowed false'],
  ['429 of API Gateway', [tooMany, set], 'set false "8"'],
  ['429 to the end', four(tooMany), none],
  ['lost, then 429 to the end', [lost, tooMany, tooMany, tooMany], 'unknown true'],
  ['503 to the end', four(unavailable(unknown)), 'unknown true'],
  ['lost to the end', four(lost), 'unknown true'],
  ['500 of API Gateway', [gateway(500), set], 'set true "8"'],
  ['503 of API Gateway', [gateway(503), set], 'set true "8"'],
  ['502', [gateway(502), set], 'set true "8"'],
  ['504', [gateway(504), set], 'set true "8"'],
  ['500 of the service', [internal], 'unknown true'],
  ['500, media type in capitals', [{ ...internal, headers: capitals }], 'unknown true'],
  ['a body that is cut', [cut, set], 'set true "8"'],
  ['200 without success', [json(200, {})], 'unknown true'],
  ['no server', [], none, { baseUrl: await unusedUrl() }],
  ['read: lost, then found', [lost, found], application.name, { calls: [reading] }],
  ['read: 404', [problem(404, 'application_not_found')], 'error 404', { calls: [reading] }],
  // What CloudFront, AWS WAF and other servers between send
  ['HTML 403', [html(403)], none, { reason: '403' }],
  ['HTML 502', [html(502), set], 'set true "8"'],
  ['HTML 200', [html(200)], 'unknown true', { reason: '200' }],
  ['read: HTML 403', [html(403)], 'error 403', { calls: [reading] }],
  ['read: HTML 502 to the end', four(html(502)), 'error 502', { calls: [reading] }],
  ['read: HTML 200', [html(200)], 'error 200', { calls: [reading] }],
  ['307 to another port', [elsewhere(307)], 'unknown true', { reason: '307' }],
  ['read: 308 to another port', [elsewhere(308)], 'error 308', { calls: [reading] }],
  // Time
  ['seconds', [unavailable({}, '2'), set], 'set false "8"', { least: 2 }],
  ['date', [unavailable({}, 3), set], 'set false "8"', { least: 2 }],
  ['longer than the time left', [unavailable({}, '20')], none, { most: 5, call: { seconds: 10 } }],
  ['longer than the bound', [unavailable({}, '31')], none, { most: 5, call: { seconds: 60 } }],
  ['an hour, lost', [unavailable(unknown, '3600')], 'unknown true', { most: 5 }],
  ['timeout', [silence, set], 'set true "8"', { least: 2 }],
  ['a body that drips', [dripping(set), set], 'set true "8"', { least: 2, most: 15 }],
  ['headers that drip', [dripOfHeaders, set], 'set true "8"', { least: 2, most: 15 }],
  ['no response', [silence], 'unknown true', { call: { seconds: 3 }, attempt: 10, most: 9 }],
  ['no end', [endless(set)], 'unknown true "8"', { most: 15 }],
  ['502 without end', [endless(html(502)), set], 'set true "8"', { most: 15 }],
  ['read: no end', [endless(found)], 'error 200', { calls: [reading], most: 15 }],
  // The token
  [
    'expiry',
    [set, set],
    ['set false "8"', 'set false "8"'],
    {
      calls: [setting, { ...setting, after: 3 }],
      tokens: [token({ expires_in: 62 }), token()],
    },
  ],
  [
    'token: 503, 429, lost',
    [set],
    'set false "8"',
    { tokens: [html(503), tooMany, lost, token()] },
  ],
  ['token: 503 to the end', [], none, { tokens: four(json(503, {})), reason: '503' }],
  ['token: invalid_client', [], none, { tokens: [invalidClient], reason: 'invalid_client' }],
  ['token: redirect', [], none, { tokens: [elsewhere(307)], reason: '307' }],
  ['token: HTML 200', [], none, { tokens: [html(200)], reason: '200' }],
  ['token: drips', [set], 'set false "8"', { tokens: [dripping(token()), token()], most: 15 }],
  ['token: no end', [], none, { tokens: [endless(token())], most: 15 }],
  ['token: hangs', [], none, { call: { seconds: 1 }, attempt: 10, tokens: [silence], most: 8 }],
  [
    'token: hangs, then another call',
    [set],
    [none, 'set false "8"'],
    {
      calls: [
        { ...setting, seconds: 1 },
        { ...setting, after: 2 },
      ],
      attempt: 10,
      tokens: [silence, token()],
      most: 8,
    },
  ],
  [
    'token: hangs, and each call has its time',
    [set],
    [none, 'set false "8"'],
    {
      calls: [{ ...setting, seconds: 1 }, setting],
      attempt: 3,
      tokens: [silence, token()],
      most: 12,
    },
  ],
  [
    'token: a failure ends with it',
    [set],
    [none, 'set false "8"'],
    {
      calls: [setting, { ...setting, after: 2 }],
      tokens: [invalidClient, token()],
    },
  ],
  ['503, then no token', [unavailable(), rejected], none, { tokens: [token(), invalidClient] }],
  ['lost, then no token', [lost, rejected], 'unknown true', { tokens: [token(), invalidClient] }],
  [
    '50 callers at once',
    Array(50).fill(set),
    Array(50).fill('set false "8"'),
    {
      calls: times(50, setting),
    },
  ],
  [
    '50 callers, invalid_client',
    [],
    Array(50).fill(none),
    { calls: times(50, setting), tokens: [invalidClient], reason: 'invalid_client' },
  ],
  [
    '50 callers, one rejection',
    [],
    Array(50).fill('set false "8"'),
    {
      calls: times(50, setting),
      tokens: renewed,
      respond: ({ headers }) => (headers.authorization === 'Bearer second' ? set : rejected),
    },
  ],
];

/** Sends a piece now and then until the client has gone. */
function trickle(stream, piece, everyMs) {
  const timer = setInterval(() => stream.write(piece), everyMs);
  stream.on('close', () => clearInterval(timer));
}

/** A server on a free port, which responds to each request with what `respond` gives. */
async function serve(respond) {
  const server = createServer(async (request, response) => {
    if ((await text(request).catch(() => undefined)) === undefined) return;
    const { play, status, headers, body } = await respond(request);
    if (play === 'silence') return;
    if (play === 'lost') request.socket.destroy();
    if (play === 'headers') {
      request.socket.write('HTTP/1.1 200 OK\r\nX-Padding: ');
      trickle(request.socket, ' ', 100);
    }
    if (status === undefined) return;
    const after = headers['Retry-After'];
    const date = () => new Date(Date.now() + after * 1000).toUTCString();
    response.writeHead(
      status,
      typeof after === 'number' ? { ...headers, 'Retry-After': date() } : headers,
    );
    if (play === undefined) return response.end(body);
    response.write(play === 'cut' ? body.slice(0, 5) : ' ');
    if (play === 'cut') setTimeout(() => request.socket.destroy(), 50);
    if (play === 'drip') trickle(response, ' ', 100);
    if (play === 'endless') trickle(response, ' '.repeat(100_000), 10);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** Has the driver make the calls. */
async function drive(input) {
  const driver = spawn(process.argv[2], process.argv.slice(3), { timeout: 120_000 });
  driver.stdin.end(JSON.stringify(input));
  const [printed, errors] = await Promise.all([text(driver.stdout), text(driver.stderr)]);
  try {
    return JSON.parse(printed);
  } catch {
    return [{ printed: `no JSON: ${printed}${errors}`, seconds: 0 }];
  }
}

async function play([name, script, expected, options = {}]) {
  const { call, calls = [{ ...setting, ...call }], attempt = 2, tokens = 1 } = options;
  const { reason = '', least = 0, most = 60 } = options;
  const responses = [...script];
  const tokenResponses = typeof tokens === 'number' ? times(tokens, token()) : [...tokens];
  let strayed = 0;
  let issued = 0;
  const other = await serve(() => {
    strayed += 1;
    return set;
  });
  const missing = problem(418, 'unexpected');
  const redirected = (response) =>
    response === undefined || response.headers?.Location === undefined
      ? response
      : { ...response, headers: { ...response.headers, Location: `${other.url}/stolen` } };
  const api = await serve(async (request) => {
    if (request.url !== '/token')
      return redirected(options.respond?.(request) ?? responses.shift()) ?? missing;
    issued += 1;
    await sleep(200); // so that calls at once need it at once
    return redirected(tokenResponses.shift()) ?? missing;
  });
  const results = await drive({
    baseUrl: options.baseUrl ?? api.url,
    tokenEndpoint: `${api.url}/token`,
    attemptSeconds: attempt,
    atOnce: calls.length,
    calls,
  });
  api.close();
  other.close();
  const due = calls.map((_, index) => (Array.isArray(expected) ? expected[index] : expected));
  const faults = due.flatMap((text, index) => {
    const { printed, seconds, reason: said = '' } = results[index] ?? { printed: 'nothing' };
    return [
      printed?.trim() !== text && `returned ${printed} (${said}), not ${text}`,
      !`${said}`.includes(reason) && `gave the reason ${said}`,
      !(seconds >= least && seconds <= most) && `took ${seconds} s`,
    ];
  });
  const expectedTokens = typeof tokens === 'number' ? tokens : tokens.length;
  faults.push(
    issued !== expectedTokens && `requested ${issued} tokens, not ${expectedTokens}`,
    responses.length > 0 && `${responses.length} attempts fewer than expected`,
    strayed > 0 && 'followed the redirect',
  );
  report(name, [...new Set(faults.filter(Boolean))]);
}

function report(name, faults) {
  process.stdout.write(
    faults.length === 0 ? `ok ${name}\n` : `FAILED ${name}: ${faults.join('; ')}\n`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

/** Many changes whose time ends about when the response comes: each reached the server is made, and never `not set`. */
async function race() {
  const count = 4000;
  const made = new Set();
  const api = await serve(async ({ url }) => {
    if (url === '/token') return token();
    const job = Number(url.split('/')[3]);
    made.add(job);
    await sleep(job % 5);
    return set;
  });
  const calls = Array.from({ length: count }, (_, job) => ({
    ...setting,
    job: `${job}`,
    seconds: job === 0 ? 30 : (0.3 + (job % 79) * 0.1) / 1000,
  }));
  const results = await drive({
    baseUrl: api.url,
    tokenEndpoint: `${api.url}/token`,
    attemptSeconds: 10,
    atOnce: 8,
    calls,
  });
  await sleep(500);
  api.close();
  const outcomes = results.map(({ printed }) => printed.replace(/ (true|false).*/, ''));
  const counts = Object.groupBy(outcomes, (outcome) => outcome);
  const number = (outcome) => counts[outcome]?.length ?? 0;
  const wrong = outcomes.filter((outcome, job) => outcome === 'not set' && made.has(job));
  const summary = Object.entries(counts).map(([outcome, { length }]) => `${length} ${outcome}`);
  report(`${count} deadlines around the response: ${summary.join(', ')}`, [
    ...(wrong.length > 0 ? [`${wrong.length} wrongly not set`] : []),
    ...(number('set') + number('unknown') + number('not set') === count ? [] : ['another outcome']),
    ...(number('set') > 1 && number('unknown') > 0 ? [] : ['no race']),
  ]);
}

// A few at a time: a busy machine makes none of them late.
const { ONLY = '' } = process.env;
const waiting = scenarios.filter(([name]) => name.includes(ONLY));
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await play(next);
};
await Promise.all(times(4).map(worker));
if ('deadlines'.includes(ONLY)) await race();
