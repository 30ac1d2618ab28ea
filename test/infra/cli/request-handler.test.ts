import { PassThrough } from 'node:stream';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestHandler } from '../../../infra/cli/request-handler.ts';
import { FaultyProxy } from '../../support/proxy.ts';
import { useEmbeddedDatabase } from '../../support/table.ts';

describe('the requests of a command', () => {
  let proxy: FaultyProxy;
  beforeEach(async () => {
    useEmbeddedDatabase();
    proxy = await FaultyProxy.start();
  });
  afterEach(() => proxy.stop());

  /** A client that reports silence at once, and what it reports. */
  function watched() {
    const requestHandler = new RequestHandler();
    const output = new PassThrough();
    const { stop } = requestHandler.reportSilence(output, 1, 20);
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
    });
    const client = new DynamoDBClient({ endpoint: proxy.url, maxAttempts: 1, requestHandler });
    return { requestHandler, client, stop, text: () => text };
  }

  it('are reported as long as none is answered', async () => {
    const { client, stop, text, requestHandler } = watched();
    proxy.expect('hang');
    const enough = new Error('enough');
    const controller = new AbortController();
    requestHandler.stopOn(controller.signal, 0);
    const sent = client.send(new ListTablesCommand({}));
    const ended = expect(sent).rejects.toMatchObject({ name: 'AbortError', cause: enough });
    await expect
      .poll(text, { timeout: 60_000 })
      .toMatch(/^\S+Z DynamoDB has not responded for \d+ s\. .*\n/);
    controller.abort(enough);
    await ended;
    stop();
  });

  it('are given up after a signal only if none is answered for a while', async () => {
    const { client, stop, requestHandler } = watched();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const controller = new AbortController();
    requestHandler.stopOn(controller.signal, 1000);
    let isPending = true;
    proxy.expect('hang');
    const slow = client.send(new ListTablesCommand({})).finally(() => {
      isPending = false;
    });
    const ended = expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    await vi.waitFor(() => expect(proxy.requests).toHaveLength(1));
    controller.abort(new Error('enough'));
    proxy.expect('none');
    for (let seconds = 0; seconds < 5; seconds += 1) {
      vi.advanceTimersByTime(999);
      await client.send(new ListTablesCommand({}));
    }
    expect(isPending).toBe(true);
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
    await ended;
    stop();
  });

  it('are not reported in a pause after an answer', async () => {
    const { client, stop, text } = watched();
    proxy.expect('none');
    await client.send(new ListTablesCommand({}));
    const before = text();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(text()).toBe(before);
    stop();
  });
});
