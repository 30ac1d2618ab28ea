import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Running } from '../../support/local-service.ts';

const run = promisify(execFile);

/** The tests of the commands of docs/integrate.md, on a running service. */
export function integratorsPage(running: Running): void {
  it('gets a token, reads, changes and fails by its commands as it says', async () => {
    const page = readFileSync('docs/integrate.md', 'utf8');
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
}
