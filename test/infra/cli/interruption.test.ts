import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apply, jobs, storedIn } from '../../support/candidates.ts';
import { dynamoError } from '../../support/faults.ts';
import { environment, start } from '../../support/operator-command.ts';
import { FaultyProxy } from '../../support/proxy.ts';
import { jobLine, jobLines } from '../../support/records.ts';
import { createTestTable, type TestTable } from '../../support/table.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SLOW = { delayedBy: 300 };

let proxy: FaultyProxy;
let table: TestTable;
beforeAll(async () => {
  proxy = await FaultyProxy.start();
});
beforeEach(async () => {
  table = await createTestTable();
});
afterAll(() => proxy.stop());

interface Interruption {
  after: number;
  input?: string | Readable;
  /** Arranges for the signal to be sent once more. */
  again?: (send: () => void) => void;
}

/** Runs a command, sends it a signal as soon as so many requests have come, and says how it ended. */
async function interrupted(
  [command, ...args]: [string, ...string[]],
  signal: NodeJS.Signals,
  { after, input = '', again }: Interruption,
) {
  const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  const child = start(command, [...args, '--table', table.name], { env, input });
  const exit = once(child, 'close');
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  await expect.poll(() => proxy.requests.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(after);
  child.kill(signal);
  // npm passes on what the terminal has sent already.
  child.kill(signal);
  again?.(() => child.kill(signal));
  const [out, err] = await outputs;
  return { end: await exit, out, err };
}

describe('npm run import, interrupted', () => {
  it.each(signals)('%s: ends the batch, and says how far it has come', async (signal) => {
    proxy.expect('none', SLOW);
    const input = jobLines(500).join('\n');
    const run = interrupted(['import', '-'], signal, { after: 2, input });
    const { end, out, err } = await run;
    expect(end).toEqual([1, null]);
    expect(out).toBe('50 jobs and 0 applications written, 0 lines refused.\n');
    expect(err).toBe(`The import has stopped; go on from line 51. It was stopped by ${signal}.\n`);
    expect(await storedIn(table)).toHaveLength(50);
  });

  it('does not wait for input that is quiet', async () => {
    proxy.expect('none');
    const input = new Readable({ read: () => undefined });
    input.push(`${jobLines(26).join('\n')}\n${jobLine('unfinished').slice(0, 9)}`);
    const { end, out, err } = await interrupted(['import', '-'], 'SIGINT', { after: 1, input });
    expect(end).toEqual([1, null]);
    expect(out).toContain('25 jobs and');
    expect(err).toContain('go on from line 26. It was stopped by SIGINT.');
  });

  it('does not go on trying where the table is busy', async () => {
    proxy.expect(dynamoError(400, 'ProvisionedThroughputExceededException'));
    const begin = performance.now();
    const input = jobLine('1');
    const { err } = await interrupted(['import', '-'], 'SIGTERM', { after: 1, input });
    expect(err).toContain('go on from line 1. It was stopped by SIGTERM.');
    expect(performance.now() - begin).toBeLessThan(8000);
  });
});

describe('npm run import, interrupted twice', () => {
  it('ends at once where an answer does not come', async () => {
    proxy.expect('hang');
    const again = (send: () => void) => setTimeout(send, 1500);
    const run = interrupted(['import', '-'], 'SIGINT', { after: 1, input: jobLine('1'), again });
    const { end, out } = await run;
    expect([end, out]).toEqual([[1, null], '']);
  });
});

describe('npm run retention, interrupted', () => {
  it('says what is done, and how to go on', async () => {
    await apply(table, {}, jobs(20), { created_at: '2099-01-01T00:00:00.000Z' });
    proxy.expect('none', 'none', SLOW);
    const args = ['retention', '--tenant', 'default', '--days', '1', '--yes'] as const;
    const { end, out, err } = await interrupted([...args], 'SIGINT', { after: 3 });
    expect([end, err]).toEqual([
      [1, null],
      'Stopped: run the same command again. It was stopped by SIGINT.\n',
    ]);
    expect(out).toBe('2 applications have got an end, 0 of them are over; 0 have no date.\n');
    const set = (await storedIn(table)).filter(({ expires_at }) => expires_at !== undefined);
    expect(set).toHaveLength(2);
  });
});

describe('npm run candidate -- erase, interrupted', () => {
  it('says on both outputs that it has stopped, and is finished by the same command', async () => {
    await apply(table, {}, jobs(20));
    proxy.expect('none', 'none', SLOW);
    const args = ['candidate', 'erase', '--tenant', 'default', '--id', 'c-1', '--yes'] as const;
    const { end, out, err } = await interrupted([...args], 'SIGINT', { after: 3 });
    const stopped =
      'The erasure has stopped: run the same command again. It was stopped by SIGINT.';
    expect([end, err]).toEqual([[1, null], `${stopped}\n`]);
    expect(out.match(/removed the application/g)).toHaveLength(2);
    expect(out.trim().split('\n').at(-1)).toContain(
      `candidate "c-1" of tenant "default": ${stopped}`,
    );
    expect(await storedIn(table)).toHaveLength(18);
  });
});
