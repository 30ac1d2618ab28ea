import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import {
  bearerChallenge,
  entityTag,
  fixedHeaders,
  REMAPPED_CHALLENGE_HEADER,
} from '../../../functions/contract/headers.ts';
import type { ProblemCode } from '../../../functions/contract/problem.ts';
import { getApplication } from '../../../functions/operations/get-application/contract.ts';
import { updateJobStatus } from '../../../functions/operations/update-job-status/contract.ts';
import { checkResponse } from '../../../infra/documents/check-response.ts';
import { problemExample } from '../../../infra/documents/problems.ts';
import { smokeCommand } from '../../../infra/smoke/smoke.ts';
import { PROBED_JOB } from '../../../infra/smoke/smoke-checks.ts';
import { storedIn } from '../../support/candidates.ts';
import { dynamoError } from '../../support/faults.ts';
import { test as it } from '../../support/fixtures.ts';
import { environment, type Run, runCommand } from '../../support/operator-command.ts';
import { portOf } from '../../support/server.ts';
import { createTestTable } from '../../support/table.ts';

const LONG_MS = 60_000;
const CONSISTENCY_WAIT_MS = 5000;
const ITEM_LIFETIME_S = 3600;
/** On a busy machine, this much time may pass between two readings of the clock. */
const TOLERANCE_S = 60;
const REQUEST_ID = 'request-1';

interface Response {
  status: number;
  headers: Record<string, string | undefined>;
  body: Record<string, unknown>;
  /** Sent in place of `body`. */
  text?: string;
}
/** `hang` sends nothing, `reset` closes the connection. */
type Answer = Response | 'hang' | 'reset';
/** Answers request number `nth`, counted from 1, about `candidate`. */
type Script = (nth: number, candidate: string) => Answer;
type Change = (answer: Response) => Answer;

const responseOf = (status: number, body: object, headers: Response['headers'] = {}): Response => ({
  status,
  headers: {
    ...fixedHeaders,
    'X-Request-Id': REQUEST_ID,
    'Content-Type': `application/${status < 400 ? '' : 'problem+'}json`,
    ...headers,
  },
  body: { ...body },
});

const application = (candidate: string) => {
  const person = { user_id: candidate, name: 'Smoke Test', email: 'smoke-test@example.com' };
  return responseOf(200, { ...getApplication.response.example, ...person });
};
const updated = (version: number) =>
  responseOf(200, { success: true }, { ETag: entityTag(version) });
const refusal = (code: ProblemCode, headers?: Response['headers']) => {
  const { value } = problemExample(code, getApplication);
  return responseOf(value.status, { ...value, request_id: REQUEST_ID }, headers);
};
const unauthenticated = refusal('unauthenticated', { 'WWW-Authenticate': bearerChallenge() });

const scriptOf =
  (...answers: ((candidate: string) => Answer)[]): Script =>
  (nth, candidate) =>
    answers[nth - 1]?.(candidate) ?? 'reset';

const working = scriptOf(
  () => unauthenticated,
  () => refusal('application_not_found'),
  () => refusal('invalid_body'),
  () => refusal('job_not_found'),
  application,
  () => updated(2),
  () => refusal('version_mismatch', { ETag: entityTag(2) }),
  () => updated(3),
);
const rounds: Script = (nth, candidate) => (nth % 2 === 1 ? application(candidate) : updated(1));

const but =
  (script: Script, numbers: readonly number[], change: Change): Script =>
  (nth, candidate) => {
    const answer = script(nth, candidate);
    return numbers.includes(nth) && typeof answer !== 'string' ? change(answer) : answer;
  };
const withStatus =
  (status: number): Change =>
  (answer) => ({ ...answer, status });
const withBody =
  (members: object): Change =>
  (answer) => ({ ...answer, body: { ...answer.body, ...members } });
const withText =
  (text: string): Change =>
  (answer) => ({ ...answer, text });
const withHeaders =
  (headers: Response['headers']): Change =>
  (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });

const api = {
  script: working,
  received: [] as { method: string; path: string; version?: unknown; status?: unknown }[],
  ofFile: [] as unknown[],
};
const server = createServer(async (request, response) => {
  const { method = '', url: path = '', headers } = request;
  if (path === '/file') {
    api.ofFile.push(headers.authorization);
    response.end();
    return;
  }
  const sent = method === 'PATCH' ? await json(request) : {};
  const version = headers['if-match'];
  const nth = api.received.push({ method, path, version, ...Object(sent) });
  const answer = api.script(nth, path.split('/').at(-1) ?? '');
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, JSON.parse(JSON.stringify(answer.headers)));
  response.end(answer.text ?? JSON.stringify(answer.body));
}).listen(0, '127.0.0.1');
const [table] = await Promise.all([createTestTable(), once(server, 'listening')]);
const url = `http://127.0.0.1:${portOf(server)}`;
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** The command's clock, which only its pauses advance. */
let timeMs = 0;
const pause = async (ms: number, signal: AbortSignal) => {
  signal.throwIfAborted();
  timeMs += ms;
};

const left = () => storedIn(table);

beforeEach(async () => {
  Object.assign(api, { script: working, received: [], ofFile: [] });
  timeMs = 0;
  // Some tests make the command leave its items in the table.
  for (const { pk, sk } of await left()) {
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }));
  }
});

const tokenUntil = (exp: number) => new UnsecuredJWT({ sub: 'secret-subject', exp }).encode();
const TOKEN = tokenUntil(4_000_000_000);
const ARGS = ['--base-url', url, '--table', table.name];
const FOR = ['--for', '130s'];

const runWith = (args: string[], { env, ...options }: Run = {}, timeoutMs = LONG_MS) =>
  runCommand(smokeCommand({ timeoutMs, now: () => timeMs, pause }), args, {
    env: { ...environment(), TOKEN, ...env },
    ...options,
  });
const run = (...more: string[]) => runWith([...ARGS, ...more]);

const failures = (out: string) => out.split('\n').filter((line) => line.startsWith('FAILED'));

// `start-options.test.ts` runs it against the service itself.
describe('npm run smoke', () => {
  it('passes on a working service, uses only its own job, and leaves no items', async () => {
    // API Gateway may rename `WWW-Authenticate`.
    const renamed = { [REMAPPED_CHALLENGE_HEADER]: 'Bearer', 'WWW-Authenticate': undefined };
    api.script = but(working, [1], withHeaders(renamed));
    const { exitCode, out, err } = await run();
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.match(/^ok +\d+ ms {2}\w.+$/gm)).toHaveLength(8);
    expect(out).toMatch(/passed: 8 checks\.\n$/);
    for (const { path } of api.received) expect(path).toMatch(/^\/v1\/jobs\/smoke-[0-9a-f-]{36}/);
    expect(await left()).toEqual([]);
  });

  it('passes without --table only if the token opens nothing, and names the missing checks', async () => {
    const noScope = refusal('insufficient_scope', { 'WWW-Authenticate': 'Bearer' });
    api.script = (nth) => (nth === 1 ? unauthenticated : noScope);
    const { exitCode, out } = await runWith(['--base-url', url]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/passed: 3 checks\.\nNot checked without --table/);
    const read = `/v1/jobs/${PROBED_JOB}/applications/unknown`;
    const paths = [read, read, `/v1/jobs/${PROBED_JOB}/status`];
    expect(api.received.map(({ path }) => path)).toEqual(paths);
    api.received = [];
    const unknown = refusal('application_not_found');
    api.script = (nth) => [unauthenticated, unknown][nth - 1] ?? updated(2);
    const rightful = await runWith(['--base-url', url]);
    expect([rightful.exitCode, failures(rightful.out)]).toEqual([
      1,
      [
        expect.stringMatching(
          /read nothing: expected insufficient_scope, .* without --table, use a token/,
        ),
        expect.stringContaining('change nothing: expected insufficient_scope, '),
      ],
    ]);
  });

  it('waits until eventually consistent reads find its items', async () => {
    const absent = refusal('application_not_found');
    api.script = but(working, [5], (answer) => (timeMs < CONSISTENCY_WAIT_MS ? absent : answer));
    expect((await run()).exitCode).toBe(0);
  });

  it('sends its token only to the API, and not to the presigned URL of --file', async () => {
    api.script = but(working, [5], withBody({ resume_url: `${url}/file` }));
    const { exitCode, out } = await run('--file', 's3://example-files/a');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('passed: 8 checks.')]);
    expect(api.ofFile).toEqual([undefined]);
  });
});

describe('npm run smoke against a broken service', () => {
  const moved: Change = (answer) => ({ ...answer, status: 307, headers: { Location: '/' } });
  it.each<[string, number[], Change, RegExp]>([
    ['500', [5], withStatus(500), /reads .*: expected 200, got 500; request_id \S+$/],
    ['another value', [5], withBody({ city: 'Elsewhere' }), /city must be "São Paulo";/],
    ['a member too many', [5], withBody({ id: 'c-1' }), /body must NOT have additional prop/],
    ['a nested one', [5], withBody({ education: ['x'] }), /education\/0 must be object/],
    ['a member of another type', [5], withBody({ score: '8.5' }), /\/body\/score must be number/],
    ['a change without success', [6], withBody({ success: false }), /\/body\/success/],
    ['a problem without a title', [2], withBody({ title: undefined }), /property 'title'/],
    ['a problem with another status', [2], withStatus(409), /409 .* is not documented/],
    ['the id of another request', [2], withBody({ request_id: 'x' }), /request_id must equal/],
    ['another media type', [2], withHeaders({ 'Content-Type': 'text/plain' }), /content-type/],
    ['no X-Request-Id', [5], withHeaders({ 'X-Request-Id': undefined }), /'x-request-id'/],
    ['another caching', [5], withHeaders({ 'Cache-Control': 'public' }), /cache-control/],
    ['a body that is not JSON', [5], withText('<html>'), /property 'body'/],
    ['no challenge', [1], withHeaders({ 'WWW-Authenticate': undefined }), /a token: .*'www-auth/],
    ['no ETag', [6, 8], withHeaders({ ETag: undefined }), /'etag'; etag must be "\\"2\\"";/],
    ['a dropped connection', [5], () => 'reset', /reads .*: no complete .*UND_ERR_SOCKET\)$/],
    ['a redirect', [5], moved, /: expected 200, got 307;/],
    ['an invalid token', [2, 4], () => refusal('invalid_token'), /got invalid_token/],
    ['another tenant', [5], () => refusal('application_not_found'), /not_found.*--tenant/],
  ])('%s: names the fault, fails and leaves no items', async (_, numbers, change, line) => {
    api.script = but(working, numbers, change);
    const { exitCode, out, err } = await run();
    expect(failures(out)[0]).toMatch(line);
    expect(failures(out)).toHaveLength(numbers.length);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`${numbers.length} of 8 checks`)]);
    expect(await left()).toEqual([]);
  });

  it('fails if a response takes longer than the time limit', async () => {
    api.script = but(working, [7], () => 'hang');
    const { exitCode, out } = await runWith(ARGS, {}, 200);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAILED .*stale If-Match: no complete response \(TimeoutError\)$/m);
  });

  it('never prints a value of a body or the token', async () => {
    const canary = 'canary@example.com';
    const wrong = { email: canary, created_at: canary, code: canary, [canary]: [canary] };
    api.script = but(working, [1, 2, 3, 4, 5, 6, 7, 8], withBody(wrong));
    const { out, err } = await run();
    expect(failures(out)).toHaveLength(8);
    expect(out + err).not.toContain('canary');
    expect(out + err).not.toContain(TOKEN);
  });

  it.each([[[]], [['--for', '1s']]])(
    'says once why the service refuses a token, hidden characters as escapes: %j',
    async (more) => {
      const detail = 'The access token is for another audience.\u009b';
      api.script = () => withBody({ detail })(refusal('invalid_token'));
      const { out } = await run(...more);
      expect(out).toMatch(/^The service says: "[^"]*another audience[^"]*"$/m);
      expect(out.match(/The service says/g)).toHaveLength(1);
      expect(out).not.toContain('\u009b');
    },
  );
});

describe('npm run smoke -- --for', () => {
  it('reads and sets the same status once a second, changes nothing, and leaves no items', async () => {
    api.script = rounds;
    const { exitCode, out } = await run(...FOR);
    expect([exitCode, api.received.length]).toEqual([0, 260]);
    const sent = api.received.map(({ path: _, ...others }) => JSON.stringify(others));
    expect([...new Set(sent)]).toEqual([
      '{"method":"GET"}',
      '{"method":"PATCH","version":"\\"1\\"","status":"published"}',
    ]);
    expect(out).toMatch(
      /^ok +0\.0 s {2}2 requests\nok +60\.0 s {2}122 requests\nok +120\.0 s .*\n.*passed: 260 .*\n$/,
    );
    expect(await left()).toEqual([]);
  });

  it.each<[string, number[], Change, number]>([
    ['a failure', [7], withStatus(500), 7],
    ['another value', [7], withBody({ city: 'Elsewhere' }), 7],
    ['a second 503 in a minute', [7, 126], withStatus(503), 126],
    ['a second 429 in a minute', [7, 8], withStatus(429), 8],
    ['a second lost response in a minute', [8, 9], () => 'reset', 9],
  ])('ends at %s', async (_, numbers, change, last) => {
    api.script = but(rounds, numbers, change);
    const { exitCode, out, err } = await run(...FOR);
    expect([exitCode, err]).toEqual([1, 'The smoke test failed.\n']);
    expect(api.received).toHaveLength(last);
    expect(failures(out)).toHaveLength(1);
    expect(await left()).toEqual([]);
  });

  it('only warns of one transient failure in a minute', async () => {
    api.script = but(rounds, [7, 127, 247], withStatus(503));
    const { exitCode, out } = await run(...FOR);
    expect([exitCode, out.match(/^WARN .*got 503/gm)?.length]).toEqual([0, 3]);
  });

  it.each([
    ['expires', tokenUntil(Math.floor(Date.now() / 1000) + 120)],
    ['not a JWT', 'opaque'],
  ])('rejects a token that %s too early', async (text, token) => {
    const { exitCode, err } = await runWith([...ARGS, ...FOR], { env: { TOKEN: token } });
    expect([exitCode, err]).toEqual([2, expect.stringContaining(text)]);
  });
});

describe("the items of npm run smoke, which expire an hour after the test's end", () => {
  it('are removed if it is interrupted', async () => {
    api.script = but(rounds, [2], () => 'hang');
    const controller = new AbortController();
    const ended = runWith([...ARGS, '--for', '2m'], { signal: controller.signal });
    await expect.poll(() => api.received.length).toBe(2);
    const items = await left();
    expect(items).toHaveLength(2);
    const expiry = Date.now() / 1000 + 120 + ITEM_LIFETIME_S;
    for (const { expires_at: end } of items) {
      expect(Math.abs(Number(end) - expiry)).toBeLessThan(TOLERANCE_S);
    }
    controller.abort(new Error('Stopped by SIGINT.'));
    const { exitCode, out, err } = await ended;
    expect(failures(out)).toEqual([]);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
    expect(await left()).toEqual([]);
  });

  it('are named if they may stay', async ({ proxy }) => {
    proxy.expect('none', dynamoError(400, 'AccessDeniedException'));
    const env = { AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const { exitCode, out, err } = await runWith(ARGS, { env });
    expect([exitCode, err]).toEqual([1, 'Invented.\n']);
    expect(out).toMatch(/^The job smoke-.* may stay/m);
  });

  it('are not tested if DynamoDB leaves their writes unprocessed', async ({ proxy }) => {
    const UnprocessedItems = { [table.name]: [{ DeleteRequest: { Key: { pk: { S: 'x' } } } }] };
    proxy.expect({ status: 200, body: JSON.stringify({ UnprocessedItems }) });
    const { exitCode, err } = await runWith(ARGS, {
      env: { AWS_ENDPOINT_URL_DYNAMODB: proxy.url },
    });
    expect([exitCode, err]).toEqual([1, expect.stringContaining('too busy')]);
  });
});

it('only what an operation documents is accepted', () => {
  const other = refusal('job_not_found');
  expect(checkResponse(updateJobStatus, other)).toEqual([]);
  expect(checkResponse(getApplication, other)).toEqual(['404 (job_not_found) is not documented']);
});
