import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { storedIn } from '../../../support/candidates.ts';
import { environment, start } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { jobLines } from '../../../support/records.ts';
import { createTestTable } from '../../../support/table.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

describe('npm run import as a process', () => {
  it.each(SIGNALS)(
    'finishes the requests under way after %s, and says where to continue',
    async (name) => {
      const proxy = await FaultyProxy.start();
      const table = await createTestTable();
      proxy.expect('none', { delayedBy: 300 });
      const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
      const args = ['-', '--table', table.name];
      const child = start('commands/import/import', args, {
        env,
        input: jobLines(500).join('\n'),
      });
      const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
      await expect.poll(() => proxy.requests.length).toBeGreaterThanOrEqual(2);
      child.kill(name);
      // npm passes on what the terminal has sent already.
      child.kill(name);
      const [end, out, err] = await ended;
      await proxy.stop();
      expect(end).toEqual([1, null]);
      const written = (await storedIn(table)).length;
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThan(500);
      expect(out).toContain(`${written} jobs`);
      expect(err).toMatch(new RegExp(`line ${written + 1}\\.\n.*${name}.*\\n$`));
    },
  );

  it('ends at once if it is asked again later', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect('hang');
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const child = start('commands/import/import', ['-', '--table', 't'], {
      env,
      input: jobLines(1)[0] ?? '',
    });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    await expect.poll(() => proxy.requests.length).toBe(1);
    child.kill('SIGINT');
    await setTimeout(1500);
    child.kill('SIGINT');
    // Without a word, before the request is given up.
    expect(await ended).toEqual([[1, null], '']);
    await proxy.stop();
  });
});
