import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeState } from '../../../../infra/commands/cli/state.ts';
import { dynamoError } from '../../../support/faults.ts';
import { environment, runCommand, start } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { stateWith } from '../../../support/table.ts';
import { command, failures, useSmokeCommand } from './smoke-command.ts';
import type { PassingAnswer, Spoiler } from './spoiling-proxy.ts';

const smoke = useSmokeCommand();

type Body = Record<string, unknown>;

const on =
  (status: number, spoil: Spoiler): Spoiler =>
  (answer) =>
    answer.status === status ? spoil(answer) : undefined;
const read = (spoil: Spoiler): Spoiler =>
  on(200, (answer) => (answer.method === 'GET' ? spoil(answer) : undefined));
const given =
  (members: Partial<PassingAnswer>): Spoiler =>
  (answer) => {
    Object.assign(answer, members);
  };
const edited =
  (edit: (body: Body) => Body): Spoiler =>
  (answer) => {
    answer.body = JSON.stringify(edit(JSON.parse(answer.body)));
  };
const renamed =
  (name: string, other?: string): Spoiler =>
  ({ headers }) => {
    if (other !== undefined && headers[name] !== undefined) headers[other] = headers[name];
    delete headers[name];
  };

describe('npm run smoke', () => {
  it('passes on a service that works, only uses its own jobs, and leaves nothing', async () => {
    const paths: string[] = [];
    const tags: (string | undefined)[] = [];
    smoke.proxy.spoil = ({ method, path, headers, status }) => {
      paths.push(path);
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

  it('accepts a challenge that API Gateway renamed', async () => {
    smoke.proxy.spoil = renamed('www-authenticate', 'x-amzn-remapped-www-authenticate');
    expect((await smoke.run()).exitCode).toBe(0);
  });

  it('checks only rejections without a table, and says what it did not check', async () => {
    const input = `${await smoke.service.issuer.mint()}\n`;
    const args = ['--base-url', smoke.proxy.url, '--token', '-'];
    const { exitCode, out } = await runCommand(command, args, { input });
    expect(exitCode).toBe(0);
    expect(out).toMatch(/passed: 4 checks\.\nNot checked without --table/);
  });

  it('retries a read that misses what was written', async () => {
    let reads = 0;
    let missed: string | undefined;
    smoke.proxy.spoil = (answer) => {
      if (answer.method !== 'GET') return;
      if (answer.status === 404) missed ??= answer.body;
      if (answer.status !== 200) return;
      reads += 1;
      if (reads < 2) Object.assign(answer, { status: 404, body: missed });
    };
    expect((await smoke.run(smoke.args(), { settlingMs: 60_000 })).exitCode).toBe(0);
    expect(reads).toBe(2);
  });

  it('finds the address and the table of the local service', async () => {
    const { service, proxy } = smoke;
    const data = mkdtempSync(join(tmpdir(), 'recruitment-smoke-'));
    writeState(data, { ...stateWith(service.table), baseUrl: proxy.url });
    const env = { TOKEN: await service.issuer.mint() };
    const { exitCode, out } = await runCommand(command, ['--data', data], { env });
    expect([exitCode, out]).toEqual([0, expect.stringContaining('passed: 8 checks.')]);
    rmSync(data, { recursive: true });
  });
});

describe('npm run smoke against a broken service', () => {
  it.each<[string, Spoiler, number, RegExp]>([
    ['500 at a read', read(given({ status: 500 })), 1, /reads .*: expected 200, got 500$/],
    [
      'another value',
      read(edited((body) => ({ ...body, city: 'Elsewhere' }))),
      1,
      /reads .*: city must be "São Paulo"$/,
    ],
    [
      'a field too many',
      read(edited((body) => ({ ...body, extra: 1 }))),
      1,
      /reads .*: \/body must NOT have additional/,
    ],
    [
      'no challenge',
      on(401, renamed('www-authenticate')),
      1,
      /without a token: .*; www-authenticate must be "Bearer realm=\\"recruitment\\""$/,
    ],
    [
      'a 404 that is no problem document',
      on(404, given({ body: '{"message":"Not Found"}' })),
      2,
      /: expected 404 application_not_found, got 404$/,
    ],
    ['no ETag', on(200, renamed('etag')), 2, /'etag'; etag must be "\\"2\\""$/],
    ['a dropped connection', read(() => 'reset'), 1, /reads .*: no answer \(UND_ERR_SOCKET\)$/],
    ['a redirect', read(given({ status: 302 })), 1, /: expected 200, got 302$/],
  ])('%s: says so, fails and leaves nothing', async (_, spoil, count, line) => {
    smoke.proxy.spoil = spoil;
    const { exitCode, out, err } = await smoke.run();
    expect(failures(out)[0]).toMatch(line);
    expect(failures(out)).toHaveLength(count);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`${count} of 8 checks`)]);
    expect(await smoke.left()).toEqual([]);
  });

  it('waits no longer than it is told', async () => {
    smoke.proxy.spoil = on(412, () => 'hang');
    const { exitCode, out } = await smoke.run(undefined, { timeoutMs: 2000 });
    expect([exitCode, failures(out).length]).toEqual([1, 1]);
    expect(failures(out)[0]).toMatch(/stale If-Match: no complete answer within 2 s$/);
  });

  it('never prints a value of a body, nor the token', async () => {
    const canary = 'canary@example.com';
    const token = await smoke.service.issuer.mint();
    const wrong = { email: canary, created_at: canary, code: canary, [canary]: [canary] };
    smoke.proxy.spoil = edited((body) => ({ ...body, ...wrong }));
    const { out, err } = await smoke.run(undefined, { token });
    expect(failures(out)).toHaveLength(8);
    expect(out + err).not.toContain('canary');
    expect(out + err).not.toContain(token.slice(-20));
  });

  it.each([
    ['an invalid token', { token: 'not.a.token' }, [], 7, /got 401 invalid_token/],
    ['a token of another tenant', {}, ['--tenant', 'acme'], 4, /not_found.*"acme".*--tenant/],
  ])('says what is wrong with %s', async (_, options, more, count, line) => {
    const { exitCode, out } = await smoke.run([...smoke.args(), ...more], options);
    expect([exitCode, failures(out).length]).toEqual([1, count]);
    expect(failures(out)[0]).toMatch(line);
    expect(await smoke.left()).toEqual([]);
  });
});

describe('npm run smoke that cannot write or remove its job', () => {
  it('says what may be left', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect('none', dynamoError(400, 'AccessDeniedException'));
    const TOKEN = await smoke.service.issuer.mint();
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url, TOKEN };
    const { exitCode, out, err } = await smoke.run(undefined, { env });
    await proxy.stop();
    expect([exitCode, err]).toEqual([1, 'Invented.\n']);
    expect(out).toMatch(/^The job smoke-.* may still be in the table/m);
  });
});

describe('npm run smoke, interrupted', () => {
  const hangingAt = (isThere: (answer: PassingAnswer) => boolean) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    smoke.proxy.spoil = (answer) => {
      if (!isThere(answer)) return undefined;
      resolve();
      return 'hang';
    };
    return promise;
  };

  it('makes no further check, removes what it wrote, and fails', async () => {
    const before = (await smoke.left()).length;
    const halfWay = hangingAt(({ method, status }) => method === 'PATCH' && status === 200);
    const controller = new AbortController();
    const ended = smoke.run(undefined, { signal: controller.signal });
    await halfWay;
    controller.abort(new Error('Stopped by SIGINT.'));
    const { exitCode, out, err } = await ended;
    expect(out).toMatch(/reads every field of the application\n$/);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
    expect(await smoke.left()).toHaveLength(before);
  });

  it('leaves items that DynamoDB removes within the hour if it is killed', async () => {
    const begun = hangingAt(() => true);
    const env = { ...environment(), TOKEN: await smoke.service.issuer.mint() };
    const child = start('commands/smoke/command', smoke.args(), { env });
    await begun;
    child.kill('SIGKILL');
    await once(child, 'close');
    for (const { expires_at: end } of await smoke.left()) {
      expect(Number(end) - Date.now() / 1000).toBeGreaterThan(3000);
      expect(Number(end) - Date.now() / 1000).toBeLessThanOrEqual(3600);
    }
  });
});
