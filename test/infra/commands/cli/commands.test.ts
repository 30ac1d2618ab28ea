import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { start } from '../../../support/operator-command.ts';

// Other tests run the other commands as processes.
const scripts = ['commands/candidate/candidate', 'commands/smoke/smoke'];

/** Runs a script as a process. */
async function run(script: string, option: string) {
  const child = start(script, [option]);
  const ended = [once(child, 'close'), text(child.stdout), text(child.stderr)] as const;
  const [[exitCode], out, err] = await Promise.all(ended);
  return { exitCode, out, err };
}

it.concurrent.each(scripts)('%s prints its usage for --help', async (script) => {
  const { exitCode, out, err } = await run(script, '--help');
  expect([exitCode, err]).toEqual([0, '']);
  expect(out).toMatch(/^Usage: .*npm (run|start)/);
});
