import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { abortOnSignal } from '../../../infra/command/signals.ts';
import { jobs, storedIn } from '../../support/candidates.ts';
import { test as it } from '../../support/fixtures.ts';
import { environment, start } from '../../support/operator-command.ts';
import { jobLines } from '../../support/records.ts';

const LINES = 500;
const BLOCK_LINES = 200;
const REPEAT_MS = 1000;
const NEXT_SIGNAL_MS = 200;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

it('a signal that arrives twice within a second, from the terminal and from npm, counts once', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const on = vi.spyOn(process, 'on').mockReturnThis();
  const signal = abortOnSignal();
  const interrupt = Object(on.mock.calls.find(([name]) => name === 'SIGINT')?.[1]);
  on.mockRestore();
  interrupt();
  vi.advanceTimersByTime(REPEAT_MS);
  interrupt();
  expect([signal.reason.message, exit.mock.calls]).toEqual(['Stopped by SIGINT.', []]);
  vi.advanceTimersByTime(1);
  interrupt();
  expect(exit.mock.calls).toEqual([[1]]);
  exit.mockRestore();
  vi.useRealTimers();
});

describe('npm run import as a process', () => {
  it.for(SIGNALS)(
    'ends after %s, and prints a line to continue from, before which all lines are in the table',
    async (name, { table, proxy }) => {
      const signalled = Promise.withResolvers<void>();
      // The second block begins once the first is stored.
      const held = jobKey('default', `j-${BLOCK_LINES}`).pk;
      proxy.faultsFor.set(held, [{ respondsAfter: () => signalled.promise }]);
      const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
      const args = ['-', '--table', table.name];
      const child = start('data/import/import', args, {
        env,
        input: jobLines(LINES).join('\n'),
      });
      const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
      await expect.poll(() => JSON.stringify(proxy.requests)).toContain(held);
      child.kill(name);
      signalled.resolve();
      const [end, out, err] = await ended;
      expect(end).toEqual([1, null]);
      const nextLine = Number(/--from-line (\d+)\.\n.*\n$/.exec(err)?.[1]);
      expect(nextLine).toBeGreaterThan(BLOCK_LINES);
      expect(err).toContain(`Stopped by ${name}.`);
      // On a busy machine, the command may end before it has read all responses, so the table may hold more.
      const stored = (await storedIn(table)).map(({ pk }) => pk);
      const finished = jobs(nextLine - 1).map((id) => jobKey('default', id).pk);
      expect(stored).toEqual(expect.arrayContaining(finished));
      expect(stored.length).toBeLessThan(LINES);
      expect(Number(/^\d+/.exec(out))).toBeLessThanOrEqual(stored.length);
    },
  );

  it('ends at once after a later second signal', async ({ proxy }) => {
    proxy.expect('hang');
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const child = start('data/import/import', ['-', '--table', 't'], {
      env,
      input: jobLines(1)[0] ?? '',
    });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    await expect.poll(() => proxy.requests.length).toBe(1);
    // A signal within a second of the first counts as npm's copy of it, so repeat it until one counts as the second.
    while (child.exitCode === null) {
      child.kill('SIGINT');
      await setTimeout(NEXT_SIGNAL_MS);
    }
    // The command ends before its request does, so it prints nothing.
    expect(await ended).toEqual([[1, null], '']);
  });
});
