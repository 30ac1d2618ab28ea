import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);

describe('the TypeScript client of docs/clients', () => {
  it('ends each scenario of scripted.mjs as the policy says', async () => {
    const node = process.execPath;
    const script = ['test/clients/scripted.mjs', node, 'test/clients/drivers/driver.mjs'];
    const env = { ...process.env, SHARE: String(inject('scale')) };
    const { stdout } = await run(node, script, { env }).catch((error) => error);
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line: string) => !line.startsWith('ok '))).toEqual([]);
    expect(lines.length).toBeGreaterThan(150);
  });
});
