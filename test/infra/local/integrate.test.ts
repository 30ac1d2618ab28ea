import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { problemDefinitions } from '../../../functions/contract/problem.ts';
import { serviceTest as it } from '../../support/local-service.ts';

const run = promisify(execFile);
const page = await readFile('docs/integrate.md', 'utf8');

describe('the page for integrators', () => {
  it('explains every code, with its status, and no other', () => {
    const rows = page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm);
    const found = Array.from(rows, ([, status, code]) => [code, Number(status)]);
    const expected = Object.entries(problemDefinitions).map(([code, { status }]) => [code, status]);
    expect(found.sort()).toEqual(expected.sort());
  });

  it('names the clients of docs/clients, with their examples', async () => {
    const clients = await readdir('docs/clients', { recursive: true });
    const files = clients.filter((path) => /\.(mts|py)$/.test(path));
    expect(files).toHaveLength(4);
    for (const file of files) expect(page).toContain(`](clients/${file})`);
  });

  it('has commands that get a token, read, change and fail as it says', async ({ running }) => {
    const [, issuer] = await running.service.until(/tokens come from (http:\S+)/);
    const commands = Array.from(page.matchAll(/^```sh\n(.*?)^```/gms), ([, code]) => code)
      .join('\n')
      .replaceAll('http://127.0.0.1:3001', `${issuer}`)
      .replaceAll('http://127.0.0.1:3000', running.base);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands]);
    expect(stdout).toContain('"name":"Ana Conceição Araújo"');
    expect(stdout).toMatch(/^etag: "\d+"\r$/im);
    expect(stdout).toContain('{"success":true}');
    expect(stdout).toContain('"code":"application_not_found"');
    expect(stdout).toContain('"code":"version_mismatch"');
  });
});
