import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test as it } from '../../../support/fixtures.ts';

it('a built file can be read by everybody, whatever the umask, even if an earlier build wrote it', ({
  folder,
}) => {
  const file = join(folder, 'dist/index.mjs');
  // Runs in a process of its own, because worker threads cannot change the umask.
  const program = `import { writeChanged } from './infra/stack/bundle/write-changed.ts';
    await writeChanged(${JSON.stringify(file)}, Buffer.from('code'));`;
  const build = () =>
    spawnSync('sh', [
      '-c',
      'umask 077 && "$0" --input-type=module -e "$1"',
      process.execPath,
      program,
    ]);
  build();
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['code', 0o644]);
  chmodSync(file, 0o600);
  build();
  expect(statSync(file).mode & 0o777).toBe(0o644);
});
