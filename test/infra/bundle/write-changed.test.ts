import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('a built file can be read by everybody, whatever the umask, even if an earlier build wrote it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-files-'));
  const file = join(folder, 'dist/index.mjs');
  // A worker thread cannot change the umask.
  const program = `import { writeChanged } from './infra/bundle/write-changed.ts';
    await writeChanged(${JSON.stringify(file)}, Buffer.from('code'));`;
  const build = () =>
    spawnSync('sh', [
      '-c',
      'umask 077 && "$0" --input-type=module -e "$1"',
      process.execPath,
      program,
    ]);
  try {
    build();
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['code', 0o644]);
    chmodSync(file, 0o600);
    build();
    expect(statSync(file).mode & 0o777).toBe(0o644);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
