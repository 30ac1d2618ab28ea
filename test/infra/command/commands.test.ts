import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };

/** `bench` comes last, because it ends the process. */
const commands = [
  'token',
  'import',
  'export',
  'candidate',
  'smoke',
  'start',
  'build',
  'bench',
] as const;

/** Runs each command as infra/run.mjs would, but all in one process. */
const RUN_ALL = `
  const [node, option, ...programs] = process.argv;
  for (const program of programs) {
    process.argv = [node, program, option];
    await import(program);
  }
`;

it('each npm script that is a program prints its own help', async () => {
  const programs = commands.map((name) =>
    resolve(packageJson.scripts[name].split(' ').at(-1) ?? ''),
  );
  const args = ['--input-type=module', '--eval', RUN_ALL, '--', '--help', ...programs];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  const found = stdout.match(/(?<=^Usage: .*?)npm (?:start|run [a-z]+)/gm);
  const expected = commands.map((name) => `npm ${name === 'start' ? name : `run ${name}`}`);
  expect([found, stderr]).toEqual([expected, '']);
});
