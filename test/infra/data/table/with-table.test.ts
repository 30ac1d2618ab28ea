import { PassThrough } from 'node:stream';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, vi } from 'vitest';
import { LOCAL_ACCESS_KEY_ID, writeState } from '../../../../infra/command/service-state.ts';
import { command as exporting } from '../../../../infra/data/export/export.ts';
import { type RetryLimits, retryLimits } from '../../../../infra/data/table/retry-strategy.ts';
import { withTable } from '../../../../infra/data/table/with-table.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';
import { runCommand } from '../../../support/operator-command.ts';
import { stateWith, useEmbeddedDatabase } from '../../../support/table.ts';

const REQUESTS = 40;
/** More failures than the SDK's own retry strategies would overcome. */
const FAILURES = 130;
/** How long requests under way may still take after Ctrl-C. */
const GRACE_MS = 100;
const LONG_GRACE_MS = 2 ** 30;
/** Below the 30 seconds after which a request without a response fails. */
const BEFORE_TIMEOUT_MS = 25_000;

test('a command signs its requests to the local database with the local access key ID', async ({
  proxy,
  table,
  folder,
}) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'other');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'other');
  writeState(folder, { ...stateWith(table), databaseEndpoint: proxy.url });
  const io = { stderr: new PassThrough(), abortOnSignal: () => new AbortController().signal };
  await withTable({ data: folder }, io, ({ client }) => client.send(new ListTablesCommand({})));
  expect(proxy.requests.map(({ authorization }) => authorization)).toEqual([
    expect.stringContaining(` Credential=${LOCAL_ACCESS_KEY_ID}/`),
  ]);
});

test('a command names --region if the SDK finds no region', async () => {
  useEmbeddedDatabase();
  delete process.env.AWS_REGION;
  process.env.AWS_CONFIG_FILE = '/does/not/exist';
  const { exitCode, err } = await runCommand(exporting, ['--table', 't'], { env: process.env });
  expect([exitCode, err]).toEqual([2, expect.stringContaining('with --region')]);
});

describe('the requests of a command', () => {
  const busy = dynamoError(400, 'ThrottlingException');

  const it = test.extend('send', ({ proxy }) => {
    useEmbeddedDatabase();
    process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
    return (limits: Partial<RetryLimits> = {}, stop = new AbortController(), count = 1) => {
      const stderr = new PassThrough();
      const io = { stderr, abortOnSignal: () => stop.signal };
      const work = withTable(
        { table: 't' },
        io,
        ({ client }) =>
          Promise.all(Array.from({ length: count }, () => client.send(new ListTablesCommand({})))),
        { ...retryLimits, graceMs: GRACE_MS, ...limits },
      );
      return { work, text: () => String(stderr.read() ?? '') };
    };
  });

  it('are retried while the table is busy, with a message to the operator', async ({
    proxy,
    send,
  }) => {
    proxy.expect(busy, busy, 'none');
    const { work, text } = send({ reportedRetry: 0 });
    await work;
    expect(text()).toMatch(/^\S+Z The table is busy, .*: trying again\. .*\n$/);
    expect(proxy.requests).toHaveLength(3);
  });

  it('are retried even if many requests fail at once', async ({ proxy, send }) => {
    proxy.expect(...Array.from({ length: FAILURES }, () => busy), 'none');
    await send({}, undefined, REQUESTS).work;
    expect(proxy.requests).toHaveLength(REQUESTS + FAILURES);
  });

  it('fail after the maximum number of attempts', async ({ proxy, send }) => {
    proxy.expect(busy);
    const { work } = send({ attempts: 3 });
    await expect(work).rejects.toThrow('Invented.');
    expect(proxy.requests).toHaveLength(3);
  });

  it('are finished after Ctrl-C, if DynamoDB responds in time', async ({ proxy, send }) => {
    const stop = new AbortController();
    proxy.expect({ respondsAfter: async () => stop.abort(new Error('Stopped by SIGINT.')) });
    await send({ graceMs: LONG_GRACE_MS }, stop).work;
    expect(proxy.requests).toHaveLength(1);
  });

  it.for([
    ['the table is busy', busy],
    ['DynamoDB does not respond', 'hang'],
  ] as const)(
    'end soon after Ctrl-C, while %s',
    { timeout: BEFORE_TIMEOUT_MS },
    async ([_, fault], { proxy, send }) => {
      proxy.expect(fault);
      const stop = new AbortController();
      const { work } = send({}, stop);
      const ended = expect(work).rejects.toThrow('Stopped by SIGINT.');
      await expect.poll(() => proxy.requests.length).toBeGreaterThan(0);
      const sent = proxy.requests.length;
      stop.abort(new Error('Stopped by SIGINT.'));
      await ended;
      // One more request may have been sent just before the interruption.
      expect(proxy.requests.length).toBeLessThanOrEqual(sent + 1);
    },
  );
});
