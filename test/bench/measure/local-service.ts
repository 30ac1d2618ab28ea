import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../../infra/bundle/files.ts';
import { findState, type State } from '../../../infra/cli/state.ts';

const READY_WITHIN_MS = 30_000;

/** The local service, in a process of its own. */
export interface LocalProcess extends State {
  stop(): Promise<void>;
}

/** Starts the service as `npm start` does, on data of its own and a free port. */
export async function startLocalService(): Promise<LocalProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-bench-'));
  const start = fileURLToPath(new URL('infra/local/start.ts', root));
  const child = spawn(process.execPath, [start, '--data', folder], {
    env: { ...process.env, PORT: '0', AWS_ENDPOINT_URL_DYNAMODB: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Its log goes where a terminal would be.
  child.stdout.resume();
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  };
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const state = findState(folder);
    if (state !== undefined) return { ...state, stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop();
  throw new Error('The local service does not start.');
}
