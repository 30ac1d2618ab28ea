import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, vi } from 'vitest';
import { getApplication } from '../../../../functions/operations/get-application/contract.ts';
import { writeState } from '../../../../infra/local/data-folder.ts';
import { PROBED_JOB } from '../../../../infra/operator/smoke/smoke-test.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test as it } from '../../../support/fixtures.ts';
import { environment } from '../../../support/operator-command.ts';
import type { FaultyProxy } from '../../../support/proxy.ts';
import { portOf } from '../../../support/server.ts';
import { stateWith } from '../../../support/table.ts';
import {
  failures,
  LONG_MS,
  type PassingResponse,
  type Spoiler,
  startSmokeService,
} from './smoke-command.ts';

const smoke = await startSmokeService();

const CONSISTENCY_WAIT_MS = 5000;
const ITEM_LIFETIME_S = 3600;
/** On a busy machine, this much time may pass between two readings of the clock. */
const TOLERANCE_S = 60;

const on =
  (status: number, spoil: Spoiler): Spoiler =>
  (response) =>
    response.status === status ? spoil(response) : undefined;
const read = (spoil: Spoiler): Spoiler =>
  on(200, (response) => (response.method === 'GET' ? spoil(response) : undefined));
const given =
  (members: Partial<PassingResponse>): Spoiler =>
  (response) => {
    Object.assign(response, members);
  };
const edited =
  (members: object): Spoiler =>
  (response) => {
    response.body = JSON.stringify({ ...JSON.parse(response.body), ...members });
  };
const without =
  (name: string): Spoiler =>
  ({ headers }) =>
    void delete headers[name];
const redirected: Spoiler = (response) => {
  response.status = 307;
  response.headers.location = response.path;
};
const only = (numbers: number[], spoil: Spoiler): Spoiler => {
  let count = 0;
  return (response) => {
    count += 1;
    return numbers.includes(count) ? spoil(response) : undefined;
  };
};

describe('npm run smoke', () => {
  it('passes on a working service, uses only its own job, and leaves no items', async () => {
    const paths: string[] = [];
    const tags: (string | undefined)[] = [];
    smoke.api.spoil = ({ method, path, headers, status }) => {
      paths.push(path);
      // API Gateway may rename `WWW-Authenticate`.
      if (status === 401)
        headers['x-amzn-remapped-www-authenticate'] = headers['www-authenticate'] ?? '';
      delete headers['www-authenticate'];
      if (method === 'PATCH' && status === 200) tags.push(headers.etag);
    };
    const { exitCode, out, err } = await smoke.run();
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.match(/^ok +\d+ ms {2}\w.+$/gm)).toHaveLength(8);
    expect(out).toMatch(/passed: 8 checks\.\n$/);
    for (const path of paths) expect(path).toMatch(/^\/v1\/jobs\/smoke-[0-9a-f-]{36}/);
    expect(tags).toEqual(['"2"', '"3"']);
    expect(await smoke.left()).toEqual([]);
  });

  it('passes without --table only if the token opens nothing, and names the missing checks', async () => {
    const probe = ['--base-url', smoke.api.url];
    const requests: string[] = [];
    smoke.api.spoil = ({ path, status }) => void requests.push(`${status} ${path}`);
    const token = await smoke.issuer.mint({ scope: 'probe' });
    const { exitCode, out } = await smoke.run(probe, { token });
    expect(exitCode).toBe(0);
    expect(out).toMatch(/passed: 3 checks\.\nNot checked without --table/);
    const application = `/v1/jobs/${PROBED_JOB}/applications/unknown`;
    const status = `/v1/jobs/${PROBED_JOB}/status`;
    expect(requests).toEqual([`401 ${application}`, `403 ${application}`, `403 ${status}`]);
    const rightful = await smoke.run(probe);
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
    smoke.api.spoil = read(
      (response) => smoke.timeMs < CONSISTENCY_WAIT_MS && given({ status: 404 })(response),
    );
    expect((await smoke.run()).exitCode).toBe(0);
  });

  it('sends its token only to the API, and not to the presigned URL of --file', async () => {
    const received: object[] = [];
    const storage = createServer(({ url, headers }, response) => {
      received.push({ url, authorization: headers.authorization });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(storage, 'listening');
    const resume_url = `http://127.0.0.1:${portOf(storage)}/presigned`;
    const person = { name: 'Smoke Test', email: 'smoke-test@example.com', resume_url };
    // The service under test has no files bucket and responds with 500. Replace that with what a deployment with a
    // bucket returns.
    smoke.api.spoil = on(500, (response) => {
      const user_id = response.path.split('/').at(-1);
      const body = JSON.stringify({ ...getApplication.response.example, ...person, user_id });
      response.headers['content-type'] = 'application/json';
      Object.assign(response, { status: 200, body });
    });
    const { exitCode, out } = await smoke.run([...smoke.args, '--file', 's3://example-files/a']);
    storage.close();
    expect([exitCode, out]).toEqual([0, expect.stringContaining('passed: 8 checks.')]);
    expect(received).toEqual([{ url: '/presigned', authorization: undefined }]);
  });

  it('uses the address and the table of the local service by default', async ({ folder }) => {
    const { table, api } = smoke;
    writeState(folder, { ...stateWith(table), baseUrl: api.url });
    const { exitCode, out } = await smoke.run(['--data', folder]);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('passed: 8 checks.')]);
  });
});

describe('npm run smoke against a broken service', () => {
  it.each<[string, Spoiler, number, RegExp]>([
    ['500', read(given({ status: 500 })), 1, /reads .*: expected 200, got 500; request_id \S+$/],
    ['another value', read(edited({ city: 'Elsewhere' })), 1, /city must be "São Paulo";/],
    ['no challenge', on(401, without('www-authenticate')), 1, /without a token: .*'www-auth/],
    ['no ETag', on(200, without('etag')), 2, /'etag'; etag must be "\\"2\\"";/],
    ['a dropped connection', read(() => 'reset'), 1, /reads .*: no complete .*UND_ERR_SOCKET\)$/],
    ['a redirect to where it works', only([5], redirected), 1, /: expected 200, got 307;/],
  ])('%s: names the fault, fails and leaves no items', async (_, spoil, count, line) => {
    smoke.api.spoil = spoil;
    const { exitCode, out, err } = await smoke.run();
    expect(failures(out)[0]).toMatch(line);
    expect(failures(out)).toHaveLength(count);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`${count} of 8 checks`)]);
    expect(await smoke.left()).toEqual([]);
  });

  it('fails if a response takes longer than the time limit', async () => {
    let limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      limit = new AbortController();
      return limit.signal;
    });
    smoke.api.spoil = on(412, () => {
      limit.abort(new DOMException('Invented.', 'TimeoutError'));
      return 'hang';
    });
    const { exitCode, out } = await smoke.run();
    expect(timeout).toHaveBeenCalledWith(LONG_MS);
    timeout.mockRestore();
    expect([exitCode, failures(out).length]).toEqual([1, 1]);
    expect(failures(out)[0]).toMatch(/stale If-Match: no complete response \(TimeoutError\)$/);
  });

  it('never prints a value of a body or the token', async () => {
    const canary = 'canary@example.com';
    const token = await smoke.issuer.mint();
    const wrong = { email: canary, created_at: canary, code: canary, [canary]: [canary] };
    smoke.api.spoil = edited(wrong);
    const { out, err } = await smoke.run(undefined, { token });
    expect(failures(out)).toHaveLength(8);
    expect(out + err).not.toContain('canary');
    expect(out + err).not.toContain(token.slice(-20));
  });

  it.each<[string, string[], Spoiler]>([
    ['every check', [], () => undefined],
    ['the first failure of --for', ['--for', '1s'], () => undefined],
    [
      'hidden characters as escapes',
      [],
      on(401, (response) => {
        const { detail, ...others } = JSON.parse(response.body);
        edited({ ...others, detail: `${detail}\u009b` })(response);
      }),
    ],
  ])('says once why the service refuses a token: %s', async (_, more, spoil) => {
    smoke.api.spoil = spoil;
    const token = await smoke.issuer.mint({ aud: 'another' });
    const { out } = await smoke.run([...smoke.args, ...more], { token });
    expect(out).toMatch(/^The service says: "[^"]*another audience[^"]*"$/m);
    expect(out.match(/The service says/g)).toHaveLength(1);
    expect(out).not.toContain('\u009b');
  });

  it.each([
    ['an invalid token', { token: 'not.a.token' }, [], 7, /got invalid_token/],
    ['a token of another tenant', {}, ['--tenant', 'acme'], 4, /not_found.*--tenant/],
  ])('names the fault of %s', async (_, options, more, count, line) => {
    const { exitCode, out } = await smoke.run([...smoke.args, ...more], options);
    expect([exitCode, failures(out).length]).toEqual([1, count]);
    expect(failures(out)[0]).toMatch(line);
    expect(await smoke.left()).toEqual([]);
  });
});

describe('npm run smoke -- --for', () => {
  const watch = (...options: Parameters<typeof smoke.run>[1][]) =>
    smoke.run([...smoke.args, '--for', '130s'], ...options);

  it('reads and sets the same status once a second, changes nothing, and leaves no items', async () => {
    const tags: (string | undefined)[] = [];
    const methods: string[] = [];
    smoke.api.spoil = ({ method, status, headers }) => {
      methods.push(`${method} ${status}`);
      if (method === 'PATCH') tags.push(headers.etag);
    };
    const { exitCode, out } = await watch();
    expect([exitCode, methods.length]).toEqual([0, 260]);
    expect(new Set(methods)).toEqual(new Set(['GET 200', 'PATCH 200']));
    expect(new Set(tags)).toEqual(new Set(['"1"']));
    expect(out).toMatch(
      /^ok +0\.0 s {2}2 requests\nok +60\.0 s {2}122 requests\nok +120\.0 s .*\n.*passed: 260 .*\n$/,
    );
    expect(await smoke.left()).toEqual([]);
  });

  it.each<[string, number[], Spoiler, number]>([
    ['a failure', [7], given({ status: 500 }), 7],
    ['another value', [7], edited({ city: 'Elsewhere' }), 7],
    ['a second 503 in a minute', [7, 126], given({ status: 503 }), 126],
    ['a second 429 in a minute', [7, 8], given({ status: 429 }), 8],
    ['a second lost response in a minute', [8, 9], () => 'reset', 9],
  ])('ends at %s', async (_, numbers, spoil, last) => {
    let count = 0;
    const spoilOnly = only(numbers, spoil);
    smoke.api.spoil = (response) => {
      count += 1;
      return spoilOnly(response);
    };
    const { exitCode, out, err } = await watch();
    expect([exitCode, err, count]).toEqual([1, 'The smoke test failed.\n', last]);
    expect(failures(out)).toHaveLength(1);
    expect(await smoke.left()).toEqual([]);
  });

  it('only warns of one transient failure in a minute', async () => {
    smoke.api.spoil = only([7, 127, 247], given({ status: 503 }));
    const { exitCode, out } = await watch();
    expect([exitCode, out.match(/^WARN .*got 503/gm)?.length]).toEqual([0, 3]);
  });

  it('rejects a token that expires too early, and a token that is not a JWT', async () => {
    const exp = Math.floor(Date.now() / 1000) + 120;
    const ended = await watch({ token: await smoke.issuer.mint({ exp }) });
    expect([ended.exitCode, ended.err]).toEqual([2, expect.stringContaining('expires')]);
    const { exitCode, err } = await watch({ token: 'opaque' });
    expect([exitCode, err]).toEqual([2, expect.stringContaining('not a JWT')]);
  });
});

describe('npm run smoke, interrupted', () => {
  it.each([
    [[], ITEM_LIFETIME_S],
    [['--for', '2m'], 120 + ITEM_LIFETIME_S],
  ])(
    'removes its items, which would have expired an hour after the test, and fails: %j',
    async (more, lifetime) => {
      const { promise: halfWay, resolve } = Promise.withResolvers<void>();
      smoke.api.spoil = ({ method, status }) => {
        if (method !== 'PATCH' || status !== 200) return undefined;
        resolve();
        return 'hang';
      };
      const controller = new AbortController();
      const ended = smoke.run([...smoke.args, ...more], { signal: controller.signal });
      await halfWay;
      const items = await smoke.left();
      expect(items).toHaveLength(2);
      for (const { expires_at: end } of items) {
        expect(Math.abs(Number(end) - Date.now() / 1000 - lifetime)).toBeLessThan(TOLERANCE_S);
      }
      controller.abort(new Error('Stopped by SIGINT.'));
      const { exitCode, out, err } = await ended;
      expect(failures(out)).toEqual([]);
      expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
      expect(await smoke.left()).toEqual([]);
    },
  );
});

describe('npm run smoke that cannot write or remove its job', () => {
  async function runThrough({ url }: FaultyProxy) {
    const TOKEN = await smoke.issuer.mint();
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: url, TOKEN };
    return smoke.run(undefined, { env });
  }

  it('names the items that may stay', async ({ proxy }) => {
    proxy.expect('none', dynamoError(400, 'AccessDeniedException'));
    const { exitCode, out, err } = await runThrough(proxy);
    expect([exitCode, err]).toEqual([1, 'Invented.\n']);
    expect(out).toMatch(/^The job smoke-.* may stay/m);
  });

  it('fails if DynamoDB leaves writes unprocessed', async ({ proxy }) => {
    const left = { [smoke.table.name]: [{ DeleteRequest: { Key: { pk: { S: 'x' } } } }] };
    const body = JSON.stringify({ UnprocessedItems: left });
    proxy.expect({ status: 200, body });
    const { exitCode, out, err } = await runThrough(proxy);
    expect([exitCode, out, err]).toEqual([1, '', expect.stringContaining('too busy')]);
  });
});
