import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { END_SIGNALS } from '../../../infra/cli/signals.ts';
import { storedIn } from '../../support/candidates.ts';
import { environment, start } from '../../support/operator-command.ts';
import { FaultyProxy } from '../../support/proxy.ts';
import { jobLine, jobLines } from '../../support/records.ts';
import { createTestTable, type TestTable } from '../../support/table.ts';

let proxy: FaultyProxy;
let table: TestTable;
beforeAll(async () => {
  proxy = await FaultyProxy.start();
});
beforeEach(async () => {
  table = await createTestTable();
});
afterAll(() => proxy.stop());

/** Starts an import as a process and sends it a signal after some requests, and again after a while. */
async function interrupted(
  after: number,
  input: string | Readable,
  { signal = 'SIGINT' as NodeJS.Signals, againMs = 0 } = {},
) {
  const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  const child = start('operations/import/command', ['-', '--table', table.name], { env, input });
  const exit = once(child, 'close');
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  await expect.poll(() => proxy.requests.length).toBeGreaterThanOrEqual(after);
  child.kill(signal);
  // npm passes on what the terminal has sent already.
  child.kill(signal);
  if (againMs > 0) setTimeout(() => child.kill(signal), againMs);
  const [out, err] = await outputs;
  return { end: await exit, out, err };
}

describe('npm run import as a process', () => {
  it.each(END_SIGNALS)('%s: finishes the batch, and says where to continue', async (signal) => {
    proxy.expect('none', { delayedBy: 300 });
    const { end, out, err } = await interrupted(2, jobLines(500).join('\n'), { signal });
    expect(end).toEqual([1, null]);
    const written = (await storedIn(table)).length;
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(500);
    // Batches of five, all of which are finished.
    expect(written % 5).toBe(0);
    expect(out).toContain(`${written} jobs`);
    expect(err).toMatch(new RegExp(`line ${written + 1}\\.\n.*${signal}.*\\n$`));
  });

  it('does not wait for input that does not come', async () => {
    proxy.expect('none');
    const input = new Readable({ read: () => undefined });
    input.push(`${jobLines(26).join('\n')}\n${jobLine('unfinished').slice(0, 9)}`);
    const { end, out, err } = await interrupted(1, input);
    expect(end).toEqual([1, null]);
    expect(out).toContain('25 jobs and');
    expect(err).toMatch(/line 26\.\n.*SIGINT/);
  });

  it('ends at once at a second signal, even if an answer does not come', async () => {
    proxy.expect('hang');
    const { end, out } = await interrupted(1, jobLine('1'), { againMs: 1500 });
    expect([end, out]).toEqual([[1, null], '']);
  });
});
