import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/operator-command.ts';

describe.each(['build', 'size', 'lockfile', 'openapi'])('npm run %s', (name) => {
  it('explains itself, and does nothing else', async () => {
    const { exitCode, out, err } = await runCommand(name, ['--help']);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.startsWith(`Usage: npm run ${name}`)).toBe(true);
    expect(out).not.toContain(' KB minified, ');
  });

  it.each(['--x', 'x'])('refuses %s, and says how it is used', async (argument) => {
    const { exitCode, out, err } = await runCommand(name, [argument]);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(/^(Unknown option '--x'|Unexpected argument 'x')/);
    expect(err).toContain(`\n\nUsage: npm run ${name}`);
  });
});
