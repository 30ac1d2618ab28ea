import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
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
      const child = start('commands/import/command', args, {
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
});

describe('the interruption of a process', () => {
  /** A process that never ends by itself, and prints why it is to end. */
  async function waiting() {
    const module = new URL('../../../../infra/commands/cli/signals.ts', import.meta.url).href;
    const program = `
      import { interruption } from ${JSON.stringify(module)};
      const signal = interruption();
      signal.addEventListener('abort', () => console.log(signal.reason.message));
      setInterval(() => undefined, 1000);
      console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    child.stdout.setEncoding('utf8');
    expect(await once(child.stdout, 'data')).toEqual(['ready\n']);
    return child;
  }

  it.concurrent.each(SIGNALS)(
    '%s: is asked for once, and a second time ends it at once',
    async (name) => {
      const child = await waiting();
      const ended = once(child, 'close');
      const told = once(child.stdout, 'data');
      child.kill(name);
      expect(await told).toEqual([`Stopped by ${name}.\n`]);
      // A signal within a second is the same one, passed on by npm.
      child.kill(name);
      const later = setTimeout(() => child.kill(name), 1500);
      expect(await ended).toEqual([1, null]);
      clearTimeout(later);
    },
  );
});
