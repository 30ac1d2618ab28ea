import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ReportableError } from '../../../infra/cli/failure.ts';
import { OutputFile } from '../../../infra/cli/files.ts';

it('names the file that cannot be written, and why', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'recruitment-files-'));
  const path = join(directory, 'x');
  const handle = await open(path, 'w');
  // A handle that is closed stands for a full disk, which not every system can imitate.
  await handle.close();
  const file = new OutputFile(handle, path);
  await file.write('little');
  const failure = await file.flush().catch((error) => error);
  expect(failure).toBeInstanceOf(ReportableError);
  expect(failure.message).toContain(`${path} cannot be written (EBADF)`);
  rmSync(directory, { recursive: true });
});
