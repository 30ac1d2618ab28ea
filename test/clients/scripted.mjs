// Takes a client of docs/clients through scenarios, each played by a server, and checks what the calls return, how long
// they take, and what the servers saw. A driver (drivers/) makes the calls.
// Usage: [ONLY=TEXT] [SHARE=0.02] node scripted.mjs COMMAND [ARGUMENT…]
// COMMAND starts a driver. ONLY selects scenarios by name. SHARE is the fraction of cuts and deadlines to try.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const contract = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url)));
const read = contract.paths['/v1/jobs/{id}/applications/{candidate_id}'].get;
const application = read.responses['200'].content['application/json'].example;
const command = process.argv.slice(2);
const { ONLY = '', SHARE = '1' } = process.env;
const usesFetch = command.some((argument) => argument.endsWith('.mjs'));

const PROBLEM = 'application/problem+json';
const response = (status, type, body, headers = {}) => ({
  status,
  headers: { 'Content-Type': type, ...headers },
  body,
});
const json = (status, value, headers) =>
  response(status, 'application/json', JSON.stringify(value), headers);
const problem = (status, code, members, headers) =>
  response(status, PROBLEM, JSON.stringify({ status, code, ...members }), headers);
const html = (status) => response(status, 'text/html', '<html><h1>Request blocked</h1></html>');
const empty = (status) => response(status, 'application/json', '');
const set = json(200, { success: true }, { ETag: '"8"' });
const found = json(200, application);
const mismatch = (etag, members = {}) => problem(412, 'version_mismatch', members, { ETag: etag });
const state = (status) => mismatch('"7"', { current_status: status });
const unavailable = (members, after = '0') =>
  problem(503, 'unavailable', members, { 'Retry-After': after });
const unknown = { outcome_unknown: true };
const allowedTransitions = ['published', 'archived'];
const refused = problem(409, 'transition_refused', { allowed_transitions: allowedTransitions });
const rejected = problem(401, 'invalid_token');
const internal = problem(500, 'internal');
const inCapitals = response(500, 'Application/Problem+JSON ; charset=utf-8', internal.body);
const gateway = (status) => json(status, { message: 'Internal Server Error' });
const tooMany = json(429, { message: 'Too Many Requests' });
const elsewhere = (status) => json(status, {}, { Location: '/elsewhere' });
const token = (members) => json(200, { access_token: 'first', expires_in: 3600, ...members });
const renewed = [token(), token({ access_token: 'second' })];
const invalidClient = json(401, { error: 'invalid_client' });

function bytesOf({ status, headers, body }, isChunked = false) {
  const size = Buffer.byteLength(body);
  const framing = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': size };
  const lines = Object.entries({ ...headers, ...framing }).map((header) => header.join(': '));
  const content = isChunked ? `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
  return Buffer.from([`HTTP/1.1 ${status} Status`, ...lines, '', content].join('\r\n'));
}

/**
 * Bytes that the server sends instead of a response. Then it closes the connection or, given a `piece`, sends that
 * again and again.
 */
const raw = (...parts) => ({ bytes: Buffer.concat(parts.map((part) => Buffer.from(part))) });
const begun = (it) => bytesOf(it).subarray(0, bytesOf(it).indexOf('\r\n\r\n') + 2);
const lost = raw();
const silence = { ...raw(), piece: '' };
const tooLong = (it) => raw(`${begun(it)}`.replace(/(?<=Length: ).*/, '1000000000'), '\r\n');
const dripping = (it) => ({ ...tooLong(it), piece: ' ' });
const dripOfHeaders = { ...raw('HTTP/1.1 200 OK\r\nX-Padding: '), piece: ' ' };
const endless = (it) => ({ ...tooLong(it), piece: ' '.repeat(100_000) });
const cut = raw(bytesOf(set).subarray(0, -5));
const interim = (status) => `HTTP/1.1 ${status} Interim\r\n\r\n`;
const switching = raw(
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
);

const times = (count, it) => Array.from({ length: count }, () => it);
const four = (it) => times(4, it);
const dates = {
  'IMF-fixdate': (date) => date.toUTCString(),
  'RFC 850': (date) => {
    const [, day, month, year, time] = date.toUTCString().split(' ');
    const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
  },
  asctime: (date) => {
    const [weekday, day, month, year, time] = date.toUTCString().split(' ');
    return `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
  },
};
const inThreeSeconds = (format) => format(new Date(Date.now() + 3000));
const form = { grant_type: 'client_credentials', scope: 'jobs:write' };
const audience = { audience: 'https://api.example.com/' };
const tokenIf = (expected) => (form) =>
  `${new URLSearchParams(expected)}` === form ? token() : invalidClient;
const setIf =
  (version) =>
  (_, { headers }) =>
    headers['if-match'] === version ? set : mismatch('"9"');
const stateIf =
  (version) =>
  (_, { headers }) =>
    headers['if-match'] === version ? state('closed') : set;
const setting = { operation: 'set', job: '4007', version: '"7"', seconds: 30 };
const read1 = { ...setting, operation: 'read' };
const reading = { calls: [read1] };
const asking = { calls: [{ ...setting, operation: 'state' }] };
const short = { ...setting, seconds: 1 };
const MOST_SECONDS = 25; // per call: less than the limits of a call (30 s) and an attempt (60 s)
const none = 'not set false';
const both = times(2, 'set false "8"');
// Nothing listens here: the scenarios' servers never get a port below 1024.
const unusedUrl = 'http://127.0.0.1:2';

/**
 * `[name, responses, results, options of play]`. Options: `tokens` is the number of token requests or their responses;
 * `reason` must occur in a failure's text; `attempt` is an attempt's limit and `least` a call's shortest duration, in
 * seconds.
 */
// biome-ignore format: a scenario is a line
const scenarios = [
  ['no fault', [set], 'set false "8"'],
  ['set, but a proxy has removed the ETag', [json(200, { success: true })], 'set false', { reason: 'without an ETag' }],
  ['412, but a proxy has removed the ETag', [problem(412, 'version_mismatch')], 'changed by others false', { reason: 'without an ETag' }],
  ['lost, then set', [lost, set], 'set true "8"'],
  ['lost, then its own version', [lost, mismatch('"8"')], 'probably set true "8"'],
  ...['W/"8"', '"8-gzip"', '"8--gzip"', '"8;gzip"', 'W/"8-br"'].map((etag) => [`lost, then its own version as ${etag}`, [lost, mismatch(etag)], 'probably set true "8"']),
  ['lost, then another version', [lost, mismatch('"9"')], 'changed by others true "9"'],
  ['lost, then 412 without a version', [lost, problem(412, 'version_mismatch')], 'unknown true'],
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
  ['409', [refused], `not allowed false ${allowedTransitions}`],
  ['421, which fetch repeats once', times(usesFetch ? 2 : 1, html(421)), none],
  ['429 of API Gateway', [tooMany, set], 'set false "8"'],
  ['429 to the end', four(tooMany), none],
  ['lost, then 429 to the end', [lost, tooMany, tooMany, tooMany], 'unknown true'],
  ['503 to the end', four(unavailable(unknown)), 'unknown true'],
  ['lost to the end', four(lost), 'unknown true'],
  ...[500, 502, 503, 504].map((status) => [`${status} of API Gateway`, [gateway(status), set], 'set true "8"']),
  ['500 of the service', [internal], 'unknown true'],
  ['500, media type in capitals', [inCapitals], 'unknown true'],
  ['a body that is cut', [cut, set], 'set true "8"'],
  ...[{}, null, [], { success: 'true' }].flatMap((body) => [
    [`200 ${JSON.stringify(body)}`, [json(200, body)], 'unknown true'],
    [`read: 200 ${JSON.stringify(body)}`, [json(200, body)], 'error 200', reading],
  ]),
  ...[201, 202, 203, 206].map((status) => [`${status}`, [json(status, { success: true })], 'unknown true']),
  ...[204, 205, 304].map((status) => [`${status}`, [empty(status)], 'unknown true']),
  ['no server', [], none, { baseUrl: unusedUrl }],
  ['read: lost, then found', [lost, found], application.name, reading],
  ['read: 404', [problem(404, 'application_not_found')], 'error 404', reading],
  ['read: 204', [empty(204)], 'error 204', reading],
  ...['', '*', '7', '"07"', '"7-b2"', '"7"-gzip', '"7"\r\nX: y', '"7", "8"'].map((version) => [`version ${JSON.stringify(version)}`, [], none, { tokens: 0, call: { version }, reason: 'version' }]),
  ...['W/"7"', '"7-gzip"'].map((version) => [`version ${version}, which a proxy has changed`, [setIf('"7"')], 'set false "8"', { call: { version } }]),
  ['version "0"', [mismatch('"7"')], 'changed by others false "7"', { call: { version: '"0"' } }],
  ['version "0", lost, then "1"', [lost, mismatch('"1"')], 'changed by others true "1"', { call: { version: '"0"' } }],
  ['version "0", lost, then "7"', [lost, mismatch('"7"')], 'changed by others true "7"', { call: { version: '"0"' } }],
  ['state: asked for with version "0"', [stateIf('"0"')], 'closed "7"', asking],
  ['state: lost, then known', [lost, state('draft')], 'draft "7"', asking],
  ['state: 404', [problem(404, 'job_not_found')], 'error 404', asking],
  ['state: 412 of an older service', [mismatch('"7"')], 'error 412', asking],
  ['state: 412 without a version', [problem(412, 'version_mismatch', { current_status: 'draft' })], 'error 412', asking],
  ['state: 412 that is not a problem', [json(412, { current_status: 'draft' }, { ETag: '"7"' })], 'error 412', asking],
  ['state: a status of a later release', [state('on_hold')], 'on_hold "7"', asking],
  ['state: set', [set], 'error 200', asking],
  // Bodies that are not problems, despite their media type.
  ...['', '{', 'null', '[]', '{}', '{"code": 5}'].flatMap((body) => [
    [`404 with ${body}`, [response(404, PROBLEM, body)], none],
    [`409 with ${body}`, [response(409, PROBLEM, body)], none],
    [`412 with ${body}`, [lost, response(412, PROBLEM, body, { ETag: '"9"' })], 'unknown true "9"'],
    [`500 with ${body}`, [response(500, PROBLEM, body), set], 'set true "8"'],
    [`503 with ${body}`, [response(503, PROBLEM, body), set], 'set true "8"'],
  ]),
  ['101, then set', [switching, set], 'set true "8"'],
  ['101 to the end', four(switching), 'unknown true'],
  ['read: 101 to the end', four(switching), 'error 0', reading],
  ['102 and 103', [raw(interim(102), interim(103), bytesOf(set))], 'set false "8"'],
  ['103 without a response', [raw(interim(103)), set], 'set true "8"'],
  ['headers that are cut', [raw(begun(mismatch('"9"'))), set], 'set true "8"'],
  ['407, which fetch treats as no response', times(usesFetch ? 4 : 1, html(407)), usesFetch ? 'unknown true' : none],
  ['HTML 403', [html(403)], none, { reason: '403' }],
  ['HTML 403 with an ETag of its own', [response(403, 'text/html', '', { ETag: '"5f3-ab"' })], none],
  ['HTML 502', [html(502), set], 'set true "8"'],
  ['HTML 200', [html(200)], 'unknown true', { reason: '200' }],
  ['read: HTML 403', [html(403)], 'error 403', reading],
  ['read: HTML 502 to the end', four(html(502)), 'error 502', reading],
  ['read: HTML 200', [html(200)], 'error 200', reading],
  ['redirect', [elsewhere(307)], 'unknown true', { reason: '307' }],
  ['read: redirect', [elsewhere(308)], 'error 308', reading],
  ['seconds', [unavailable({}, '2'), set], 'set false "8"', { least: 2 }],
  ...Object.entries(dates).map(([name, format]) => [`date: ${name}`, [() => unavailable({}, inThreeSeconds(format)), set], 'set false "8"', { least: 2 }]),
  ...['1e9', '-1', 'soon', '2.5', ''].map((after) => [`Retry-After: ${after}`, [unavailable({}, after), set], 'set false "8"']),
  ['longer than the time left', [unavailable({}, '20')], none, { call: { seconds: 10 } }],
  ['longer than the bound', [unavailable({}, '31')], none, { call: { seconds: 60 } }],
  ['an hour, lost', [unavailable(unknown, '3600')], 'unknown true'],
  // If `seconds` is negative, driver.mjs passes a signal that is already aborted.
  ...[0, -1].flatMap((seconds) => [
    [`over before the call (${seconds})`, [], none, { tokens: 0, call: { seconds } }],
    [`over before the call (${seconds}), with a token`, [set], ['set false "8"', none], { inTurn: true, calls: [setting, { ...setting, seconds }] }],
  ]),
  ['read: over before the call', [], 'error 0', { tokens: 0, calls: [{ ...read1, seconds: 0 }] }],
  ['timeout', [silence, set], 'set true "8"', { attempt: 2, least: 2 }],
  ['a body that drips', [dripping(set), set], 'set true "8"', { attempt: 2, least: 2 }],
  ['headers that drip', [dripOfHeaders, set], 'set true "8"', { attempt: 2, least: 2 }],
  ['no response', [silence], 'unknown true', { call: { seconds: 3 } }],
  ['no end', [endless(set)], 'unknown true "8"'],
  ['502 without end', [endless(html(502)), set], 'set true "8"'],
  ['read: no end', [endless(found)], 'error 200', reading],
  ...[0, -1, 60].map((seconds) => [`token: expires_in ${seconds}`, [set, set], both, { inTurn: true, calls: [setting, setting], tokens: times(2, token({ expires_in: seconds })) }]),
  ...['60', null, undefined, true, 1e10].map((seconds) => [`token: expires_in ${JSON.stringify(seconds)}`, [set, set], both, { inTurn: true, calls: [setting, setting], tokens: [token({ expires_in: seconds })] }]),
  ...['', 's3cr\net', 's3cr et', 's3crét', '"s3cret"', 's3cr€t', 's3c=ret', null, 7, ['s3cret']].map((value) => [`token: ${JSON.stringify(value)}`, [], none, { tokens: [token({ access_token: value })], reason: 'token endpoint' }]),
  ['token: its form', [set], 'set false "8"', { tokens: [tokenIf(form)] }],
  ['token: parameters of the issuer', [set], 'set false "8"', { tokens: [tokenIf({ ...form, ...audience })], tokenParameters: audience }],
  ['token: 503, 429, lost', [set], 'set false "8"', { tokens: [html(503), tooMany, lost, token()] }],
  ['token: 503 to the end', [], none, { tokens: four(json(503, {})), reason: '503' }],
  ['token: invalid_client', [], none, { tokens: [invalidClient], reason: 'invalid_client' }],
  ['token: redirect', [], none, { tokens: [elsewhere(307)], reason: '307' }],
  ['token: HTML 200', [], none, { tokens: [html(200)], reason: '200' }],
  ['token: JSON null', [], none, { tokens: [json(200, null)], reason: '200' }],
  ['token: drips', [set], 'set false "8"', { attempt: 2, tokens: [dripping(token()), token()] }],
  ['token: no end', [], none, { tokens: [endless(token())] }],
  ['token: hangs', [], none, { calls: [short], tokens: [silence] }],
  ['token: hangs, then another call', [set], [none, 'set false "8"'], { inTurn: true, calls: [short, setting], tokens: [silence, token()] }],
  ['token: hangs, and each call has its time', [set], [none, 'set false "8"'], { calls: [short, setting], attempt: 3, tokens: [silence, token()] }],
  ['token: a failure ends with it', [set], [none, 'set false "8"'], { inTurn: true, calls: [setting, setting], tokens: [invalidClient, token()] }],
  ['503, then no token', [unavailable(), rejected], none, { tokens: [token(), invalidClient] }],
  ['lost, then no token', [lost, rejected], 'unknown true', { tokens: [token(), invalidClient] }],
  ['50 callers', times(50, set), times(50, 'set false "8"'), { calls: times(50, setting) }],
  ['50 callers, invalid_client', [], times(50, none), { calls: times(50, setting), tokens: [invalidClient], reason: 'invalid_client' }],
  ['50 callers, one rejection', [], times(50, 'set false "8"'), { calls: times(50, setting), tokens: renewed, respond: ({ headers }) => (headers.authorization === 'Bearer second' ? set : rejected) }],
];

/**
 * `[name, first response, second response, result if the first was whole, result if it was cut]`. A first response must
 * be incomplete without its last byte.
 */
// biome-ignore format: a response is a line
const cuts = [
  ['set', bytesOf(set, true), set, 'set false "8"', 'set true "8"'],
  ['412', bytesOf(mismatch('"8"')), mismatch('"8"'), 'changed by others false "8"', 'probably set true "8"'],
  ['404', bytesOf(problem(404, 'job_not_found')), problem(404, 'job_not_found'), 'no such job false', 'no such job true'],
  ['503, nothing changed', bytesOf(unavailable(), true), set, 'set false "8"', 'set true "8"'],
  ['application', bytesOf(found), found, application.name, application.name],
  ['token', bytesOf(token()), token(), 'set false "8"', 'set false "8"'],
];

async function serve(respond) {
  const server = createServer(async (request, response) => {
    const sent = await text(request).catch(() => undefined);
    if (sent === undefined) return;
    const { bytes, piece, status, headers, body } = await respond(request, sent);
    if (bytes === undefined) return response.writeHead(status, headers).end(body);
    const { socket } = request;
    if (piece === undefined) return socket.end(bytes);
    socket.write(bytes);
    const timer = setInterval(() => socket.write(piece), piece.length > 1 ? 10 : 100);
    socket.on('close', () => clearInterval(timer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

const driver = spawn(command[0], command.slice(1), {
  stdio: ['pipe', 'pipe', 'inherit'],
  // Any zone whose time differs from GMT all year, to catch a date that is read as local time.
  env: { ...process.env, TZ: 'America/New_York' },
});
const awaited = [];
createInterface({ input: driver.stdout }).on('line', (line) => {
  const { id, results } = JSON.parse(line);
  awaited[id](results);
});
let isEnding = false;
const ended = once(driver, 'exit').then(() => {
  if (!isEnding) throw new Error('The driver ended before the last scenario.');
});

function drive(api, calls, settings) {
  const line = { id: awaited.length, baseUrl: api.url, tokenEndpoint: `${api.url}/token`, calls };
  driver.stdin.write(
    `${JSON.stringify({ ...line, attemptSeconds: 60, atOnce: 50, ...settings })}\n`,
  );
  return new Promise((resolve) => awaited.push(resolve));
}

async function play([name, script, expected, options = {}]) {
  const { call, calls = [{ ...setting, ...call }], attempt = 60, tokens = 1 } = options;
  const { reason = '', least = 0, inTurn, baseUrl, tokenParameters } = options;
  const responses = [...script];
  const tokenResponses = typeof tokens === 'number' ? times(tokens, token()) : [...tokens];
  const faults = [];
  const api = await serve(async (request, sent) => {
    if (request.url === '/elsewhere') faults.push('followed the redirect');
    if (request.url === '/token') await sleep(200); // so that concurrent calls wait for the same token
    const next =
      request.url === '/token'
        ? tokenResponses.shift()
        : (options.respond?.(request) ?? responses.shift());
    if (next === undefined) faults.push(`sent another request to ${request.url}`);
    return typeof next === 'function' ? next(sent, request) : (next ?? problem(418, 'unexpected'));
  });
  const results = await drive(api, calls, {
    attemptSeconds: attempt,
    ...(inTurn && { atOnce: 1 }),
    ...(baseUrl && { baseUrl }),
    ...(tokenParameters && { tokenParameters }),
  });
  api.close();
  for (const index of calls.keys()) {
    const due = Array.isArray(expected) ? expected[index] : expected;
    const { printed, seconds, reason: said = '' } = results[index] ?? {};
    if (printed?.trim() !== due) faults.push(`returned ${printed} (${said}), not ${due}`);
    if (!said.includes(reason)) faults.push(`gave the reason ${said}`);
    if (/first|second|s3c/.test(said)) faults.push(`gave the token away: ${said}`);
    if (!(seconds >= least && seconds < MOST_SECONDS)) faults.push(`took ${seconds} s`);
  }
  const left = responses.length + tokenResponses.length;
  if (left > 0) faults.push(`sent ${left} requests fewer than expected`);
  report(name, faults);
}

/**
 * Cuts the first response after each of its bytes, one call per byte. With SHARE, tries only some. The second response
 * is whole.
 */
async function cutEachByte([name, bytes, second, complete, cutOff]) {
  const seen = new Set();
  const api = await serve(({ url }) => {
    const [job] = /\d+(?=\/status|\/app|$)/.exec(url) ?? [];
    if (url.startsWith('/token') !== (name === 'token'))
      return url.startsWith('/token') ? token() : set;
    if (seen.has(job)) return second;
    seen.add(job);
    return raw(bytes.subarray(0, job));
  });
  const operation = name === 'application' ? 'read' : 'set';
  const step = Math.round(1 / Number(SHARE));
  const cutsAfter = [...bytes.keys().filter((at) => at % step === 0), bytes.length];
  const calls = cutsAfter.map((at) => ({ ...setting, operation, job: `${at}` }));
  const batches = name === 'token' ? calls.map((call) => [call]) : [calls]; // a client has one token
  const drives = batches.map((batch) =>
    drive(
      api,
      batch,
      name === 'token' ? { tokenEndpoint: `${api.url}/token/${batch[0].job}` } : {},
    ),
  );
  const results = (await Promise.all(drives)).flat();
  api.close();
  const wrong = cutsAfter.flatMap((at, index) => {
    const due = at === bytes.length ? complete : cutOff;
    const printed = results[index]?.printed.trim();
    return printed === due ? [] : [`${printed} after ${at}, not ${due}`];
  });
  report(
    `cut after ${cutsAfter.length} of ${bytes.length} bytes: ${name}`,
    wrong.length > 0 ? [`${wrong.length} wrong, such as ${wrong[0]}`] : [],
  );
}

/**
 * Makes many changes whose time limits end just about when the response arrives. A change that reached the server must
 * not be reported as `not set`.
 */
async function race() {
  const made = new Set();
  const api = await serve(async ({ url }) => {
    if (url === '/token') return token();
    const job = Number(url.split('/')[3]);
    made.add(job);
    await sleep(job % 5);
    return set;
  });
  // Limits from 0.3 to 300 ms: even on a slow machine, some end in the middle of a request.
  const seconds = (job) => (job === 0 ? 30 : 0.0003 * 1000 ** ((job % 79) / 78));
  const sweeps = Math.ceil(25 * Number(SHARE));
  const calls = Array.from({ length: 79 * sweeps }, (_, job) => ({
    ...setting,
    job: `${job}`,
    seconds: seconds(job),
  }));
  const results = await drive(api, calls, { atOnce: 8 });
  await sleep(500);
  api.close();
  const outcomes = results.map(({ printed }) => printed.replace(/ (true|false).*/, ''));
  const {
    set: done = [],
    unknown = [],
    'not set': notSet = [],
  } = Object.groupBy(outcomes.keys(), (job) => outcomes[job]);
  const wrong = notSet.filter((job) => made.has(job));
  report(
    `deadlines around the response: ${done.length} set, ${unknown.length} unknown, ${notSet.length} not set`,
    [
      ...(wrong.length > 0 ? [`${wrong.length} wrongly not set`] : []),
      ...(done.length + unknown.length + notSet.length === calls.length ? [] : ['another outcome']),
      ...(done.length > 1 && unknown.length > 0 ? [] : ['no race']),
    ],
  );
}

/** The driver must end soon, even after a call to a host that accepts connections but never speaks TLS. */
async function end() {
  const silent = createTcpServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const baseUrl = `https://127.0.0.1:${silent.address().port}`;
  await play(['a host that does not respond', [], 'unknown true', { baseUrl, calls: [short] }]);
  const started = performance.now();
  isEnding = true;
  driver.stdin.end();
  await ended;
  silent.close();
  const seconds = (performance.now() - started) / 1000;
  report('the end of the process', seconds < 5 ? [] : [`took ${seconds} s`]);
}

function report(name, faults) {
  process.stdout.write(
    faults.length === 0 ? `ok ${name}\n` : `FAILED ${name}: ${[...new Set(faults)].join('; ')}\n`,
  );
  if (faults.length > 0) process.exitCode = 1;
}

const selected = scenarios.filter(([name]) => name.includes(ONLY));
const worker = async () => {
  for (let next = selected.shift(); next; next = selected.shift()) await play(next);
};
await Promise.all(times(32).map(worker));
for (const it of cuts) if (`cut after ${it[0]}`.includes(ONLY)) await cutEachByte(it);
if ('deadlines'.includes(ONLY)) await race();
await end();
