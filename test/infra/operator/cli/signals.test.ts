import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { storedIn } from '../../../support/candidates.ts';
import { test as it } from '../../../support/fixtures.ts';
import { environment, start } from '../../../support/operator-command.ts';
import { jobLines } from '../../../support/records.ts';

const LINES = 500;
const NEXT_SIGNAL_MS = 200;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

describe('npm run import as a process', () => {
  it.for(SIGNALS)(
    'finishes the requests under way after %s, and prints the line to continue from',
    async (name, { table, proxy }) => {
      const signalled = Promise.withResolvers<void>();
      proxy.expect('none', { respondsAfter: () => signalled.promise });
      const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
      const args = ['-', '--table', table.name];
      const child = start('operator/import/import', args, {
        env,
        input: jobLines(LINES).join('\n'),
      });
      const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
      await expect.poll(() => proxy.requests.length).toBeGreaterThanOrEqual(2);
      child.kill(name);
      // The terminal and npm both pass a signal to the command.
      child.kill(name);
      signalled.resolve();
      const [end, out, err] = await ended;
      expect(end).toEqual([1, null]);
      const written = (await storedIn(table)).length;
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThan(LINES);
      expect(out).toContain(`${written} jobs`);
      expect(err).toMatch(new RegExp(`line ${written + 1}\\.\n.*${name}.*\\n$`));
    },
  );

  it('ends at once after a later second signal', async ({ proxy }) => {
    proxy.expect('hang');
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const child = start('operator/import/import', ['-', '--table', 't'], {
      env,
      input: jobLines(1)[0] ?? '',
    });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    await expect.poll(() => proxy.requests.length).toBe(1);
    // Signals within a second count as npm's copies of the first, but those of a busy machine may arrive late.
    while (child.exitCode === null) {
      child.kill('SIGINT');
      await setTimeout(NEXT_SIGNAL_MS);
    }
    // The command ends before its request does, and therefore prints nothing.
    expect(await ended).toEqual([[1, null], '']);
  });
});
