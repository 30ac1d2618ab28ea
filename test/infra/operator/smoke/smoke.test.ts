import { once } from 'node:events';
import { createServer } from 'node:http';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeEach, describe, expect, vi } from 'vitest';
import { REMAPPED_CHALLENGE_HEADER } from '../../../../functions/contract/headers.ts';
import { smokeCommand } from '../../../../infra/operator/smoke/smoke.ts';
import { PROBED_JOB } from '../../../../infra/operator/smoke/smoke-test.ts';
import { storedIn } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test as it } from '../../../support/fixtures.ts';
import { environment, type Run, runCommand } from '../../../support/operator-command.ts';
import type { FaultyProxy } from '../../../support/proxy.ts';
import { portOf } from '../../../support/server.ts';
import { createTestTable } from '../../../support/table.ts';
import {
  application,
  changed,
  type Entry,
  refusal,
  startScriptedApi,
  unauthenticated,
  updated,
  WORKING,
} from './scripted-api.ts';

const [table, api] = await Promise.all([createTestTable(), startScriptedApi()]);
afterAll(() => api.stop());

const LONG_MS = 60_000;
const CONSISTENCY_WAIT_MS = 5000;
const ITEM_LIFETIME_S = 3600;
/** On a busy machine, this much time may pass between two readings of the clock. */
const TOLERANCE_S = 60;

/** The command's clock, which only its pauses advance. */
let timeMs = 0;
const pause = async (ms: number, signal: AbortSignal) => {
  signal.throwIfAborted();
  timeMs += ms;
};

beforeEach(async () => {
  Object.assign(api, { script: WORKING, received: [] });
  timeMs = 0;
  // Some tests make the command leave its items in the table.
  for (const { pk, sk } of await left()) {
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }));
  }
});

const tokenUntil = (exp: number) => new UnsecuredJWT({ sub: 'secret-subject', exp }).encode();
const TOKEN = tokenUntil(4_000_000_000);
const ARGS = ['--base-url', api.url, '--table', table.name];
const FOR = ['--for', '130s'];

const runWith = (args: string[], { env, ...options }: Run = {}) =>
  runCommand(smokeCommand({ timeoutMs: LONG_MS, now: () => timeMs, pause }), args, {
    env: { ...environment(), TOKEN, ...env },
    ...options,
  });
const run = (...more: string[]) => runWith([...ARGS, ...more]);

const left = () => storedIn(table);

const failures = (out: string) => out.split('\n').filter((line) => line.startsWith('FAILED'));

const rounds = Array.from({ length: 130 }, () => [application, updated(1)]).flat();

/** Replaces the entries with these numbers, counted from 1. */
const but = (
  script: readonly Entry[],
  numbers: readonly number[],
  change: (entry: Entry) => Entry,
) => script.map((entry, at) => (numbers.includes(at + 1) ? change(entry) : entry));

const withStatus = (status: number) => (entry: Entry) => changed(entry, { status });
const withBody = (body: Record<string, unknown>) => (entry: Entry) => changed(entry, { body });
const withHeaders = (headers: Record<string, string | undefined>) => (entry: Entry) =>
  changed(entry, { headers });

// `start-options.test.ts` runs it against the service itself.
describe('npm run smoke', () => {
  it('passes on a working service, uses only its own job, and leaves no items', async () => {
    // API Gateway may rename `WWW-Authenticate`.
    const [remapped, absent] = [{ [REMAPPED_CHALLENGE_HEADER]: 'Bearer' }, undefined];
    api.script = but(WORKING, [1], withHeaders({ ...remapped, 'WWW-Authenticate': absent }));
    const { exitCode, out, err } = await run();
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.match(/^ok +\d+ ms {2}\w.+$/gm)).toHaveLength(8);
    expect(out).toMatch(/passed: 8 checks\.\n$/);
    for (const { path } of api.received) expect(path).toMatch(/^\/v1\/jobs\/smoke-[0-9a-f-]{36}/);
    expect(await left()).toEqual([]);
  });

  it('passes without --table only if the token opens nothing, and names the missing checks', async () => {
    const probe = ['--base-url', api.url];
    const noScope = refusal('insufficient_scope', { 'WWW-Authenticate': 'Bearer' });
    api.script = [unauthenticated, noScope, noScope];
    const { exitCode, out } = await runWith(probe);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/passed: 3 checks\.\nNot checked without --table/);
    const read = `/v1/jobs/${PROBED_JOB}/applications/unknown`;
    const paths = [read, read, `/v1/jobs/${PROBED_JOB}/status`];
    expect(api.received.map(({ path }) => path)).toEqual(paths);
    api.received = [];
    api.script = [unauthenticated, refusal('application_not_found'), updated(2)];
    const rightful = await runWith(probe);
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
    api.script = but(WORKING, [5], (entry) => (id) => {
      const found = timeMs < CONSISTENCY_WAIT_MS ? absent : entry;
      return typeof found === 'function' ? found(id) : found;
    });
    expect((await run()).exitCode).toBe(0);
  });

  it('sends its token only to the API, and not to the presigned URL of --file', async () => {
    const received: object[] = [];
    const storage = createServer(({ url, headers }, response) => {
      received.push({ url, authorization: headers.authorization });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(storage, 'listening');
    const resume_url = `http://127.0.0.1:${portOf(storage)}/presigned`;
    api.script = but(WORKING, [5], withBody({ resume_url }));
    const { exitCode, out } = await run('--file', 's3://example-files/a');
    storage.close();
    expect([exitCode, out]).toEqual([0, expect.stringContaining('passed: 8 checks.')]);
    expect(received).toEqual([{ url: '/presigned', authorization: undefined }]);
  });
});

describe('npm run smoke against a broken service', () => {
  const noETag = { ETag: undefined };
  const moved = (entry: Entry) => changed(entry, { status: 307, headers: { Location: '/' } });
  it.each<[string, number[], (entry: Entry) => Entry, RegExp]>([
    ['500', [5], withStatus(500), /reads .*: expected 200, got 500; request_id \S+$/],
    ['another value', [5], withBody({ city: 'Elsewhere' }), /city must be "São Paulo";/],
    ['no challenge', [1], withHeaders({ 'WWW-Authenticate': undefined }), /a token: .*'www-auth/],
    ['no ETag', [6, 8], withHeaders(noETag), /'etag'; etag must be "\\"2\\"";/],
    ['a dropped connection', [5], () => 'reset', /reads .*: no complete .*UND_ERR_SOCKET\)$/],
    ['a redirect', [5], moved, /: expected 200, got 307;/],
    ['an invalid token', [2, 4], () => refusal('invalid_token'), /got invalid_token/],
    ['another tenant', [5], () => refusal('application_not_found'), /not_found.*--tenant/],
  ])('%s: names the fault, fails and leaves no items', async (_, numbers, change, line) => {
    api.script = but(WORKING, numbers, change);
    const { exitCode, out, err } = await run();
    expect(failures(out)[0]).toMatch(line);
    expect(failures(out)).toHaveLength(numbers.length);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`${numbers.length} of 8 checks`)]);
    expect(await left()).toEqual([]);
  });

  it('fails if a response takes longer than the time limit', async () => {
    let limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      limit = new AbortController();
      return limit.signal;
    });
    api.script = but(WORKING, [7], () => () => {
      limit.abort(new DOMException('Invented.', 'TimeoutError'));
      return 'hang';
    });
    const { exitCode, out } = await run();
    expect(timeout).toHaveBeenCalledWith(LONG_MS);
    timeout.mockRestore();
    expect([exitCode, failures(out).length]).toEqual([1, 1]);
    expect(failures(out)[0]).toMatch(/stale If-Match: no complete response \(TimeoutError\)$/);
  });

  it('never prints a value of a body or the token', async () => {
    const canary = 'canary@example.com';
    const wrong = { email: canary, created_at: canary, code: canary, [canary]: [canary] };
    api.script = WORKING.map(withBody(wrong));
    const { out, err } = await run();
    expect(failures(out)).toHaveLength(8);
    expect(out + err).not.toContain('canary');
    expect(out + err).not.toContain(TOKEN);
  });

  it.each([[[]], [['--for', '1s']]])(
    'says once why the service refuses a token, hidden characters as escapes: %j',
    async (more) => {
      const detail = 'The access token is for another audience.\u009b';
      api.script = WORKING.map(() => changed(refusal('invalid_token'), { body: { detail } }));
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

  it.each<[string, number[], (entry: Entry) => Entry, number]>([
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
    [tokenUntil(Math.floor(Date.now() / 1000) + 120), 'expires'],
    ['opaque', 'not a JWT'],
  ])(
    'rejects a token that expires too early, and a token that is not a JWT',
    async (token, text) => {
      const { exitCode, err } = await runWith([...ARGS, ...FOR], { env: { TOKEN: token } });
      expect([exitCode, err]).toEqual([2, expect.stringContaining(text)]);
    },
  );
});

describe('npm run smoke, interrupted', () => {
  it.each([
    [[], but(WORKING, [6], () => 'hang'), ITEM_LIFETIME_S],
    [['--for', '2m'], but(rounds, [2], () => 'hang'), 120 + ITEM_LIFETIME_S],
  ])(
    'removes its items, which would have expired an hour after the test, and fails: %j',
    async (more, script, lifetime) => {
      api.script = script;
      const controller = new AbortController();
      const ended = runWith([...ARGS, ...more], { signal: controller.signal });
      await expect.poll(() => script[api.received.length - 1]).toBe('hang');
      const items = await left();
      expect(items).toHaveLength(2);
      for (const { expires_at: end } of items) {
        expect(Math.abs(Number(end) - Date.now() / 1000 - lifetime)).toBeLessThan(TOLERANCE_S);
      }
      controller.abort(new Error('Stopped by SIGINT.'));
      const { exitCode, out, err } = await ended;
      expect(failures(out)).toEqual([]);
      expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
      expect(await left()).toEqual([]);
    },
  );
});

describe('npm run smoke that cannot write or remove its job', () => {
  const runThrough = ({ url }: FaultyProxy) =>
    runWith(ARGS, { env: { AWS_ENDPOINT_URL_DYNAMODB: url } });

  it('names the items that may stay', async ({ proxy }) => {
    proxy.expect('none', dynamoError(400, 'AccessDeniedException'));
    const { exitCode, out, err } = await runThrough(proxy);
    expect([exitCode, err]).toEqual([1, 'Invented.\n']);
    expect(out).toMatch(/^The job smoke-.* may stay/m);
  });

  it('fails if DynamoDB leaves writes unprocessed', async ({ proxy }) => {
    const unprocessed = { [table.name]: [{ DeleteRequest: { Key: { pk: { S: 'x' } } } }] };
    const body = JSON.stringify({ UnprocessedItems: unprocessed });
    proxy.expect({ status: 200, body });
    const { exitCode, out, err } = await runThrough(proxy);
    expect([exitCode, out, err]).toEqual([1, '', expect.stringContaining('too busy')]);
  });
});
