import { PassThrough } from 'node:stream';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RetryLimits, retryLimits } from '../../../../infra/commands/cli/retries.ts';
import { onTable } from '../../../../infra/commands/cli/table.ts';
import { dynamoError } from '../../../support/faults.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { useEmbeddedDatabase } from '../../../support/table.ts';

describe('the requests of a command', () => {
  let proxy: FaultyProxy;
  beforeEach(async () => {
    useEmbeddedDatabase();
    proxy = await FaultyProxy.start();
    process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
  });
  afterEach(() => proxy.stop());
  const busy = dynamoError(400, 'ThrottlingException');

  /** Sends a request as a command does; gives what the operator reads meanwhile. */
  function send(limits: Partial<RetryLimits> = {}, stop = new AbortController(), count = 1) {
    const stderr = new PassThrough();
    const io = { env: {}, stderr, interruption: () => stop.signal };
    const work = onTable(
      { table: 't' },
      io,
      ({ client }) =>
        Promise.all(Array.from({ length: count }, () => client.send(new ListTablesCommand({})))),
      { ...retryLimits, graceMs: 100, ...limits },
    );
    return { work, text: () => String(stderr.read() ?? '') };
  }

  it('are tried again while the table is busy, and the operator is told', async () => {
    proxy.expect(busy, busy, 'none');
    const { work, text } = send({ reportedRetry: 0 });
    await work;
    expect(text()).toMatch(/^\S+Z The table is busy, .*: trying again\. .*\n$/);
    expect(proxy.requests).toHaveLength(3);
  });

  it('are tried again however many fail at once', async () => {
    // The SDK's own strategies give up after a hundred retries of all requests.
    proxy.expect(...Array.from({ length: 130 }, () => busy), 'none');
    await send({}, undefined, 40).work;
    expect(proxy.requests).toHaveLength(170);
  });

  it('are given up after some attempts', async () => {
    proxy.expect(busy);
    const { work } = send({ attempts: 3 });
    await expect(work).rejects.toThrow('Invented.');
    expect(proxy.requests).toHaveLength(3);
  });

  // Sooner than the 30 s after which a request without a response ends.
  it.each([
    ['the table is busy', busy],
    ['DynamoDB does not respond', 'hang' as const],
  ])('end soon after Ctrl-C, while %s', { timeout: 25_000 }, async (_, fault) => {
    proxy.expect(fault);
    const stop = new AbortController();
    const { work } = send({}, stop);
    const ended = expect(work).rejects.toThrow('Stopped by SIGINT.');
    await expect.poll(() => proxy.requests.length).toBeGreaterThan(0);
    const sent = proxy.requests.length;
    stop.abort(new Error('Stopped by SIGINT.'));
    await ended;
    // One may have been on its way.
    expect(proxy.requests.length).toBeLessThanOrEqual(sent + 1);
  });
});
