import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { nameOf } from '../operator/cli/failure.ts';
import { root } from '../project.ts';

const WATCHED = ['functions', 'infra'].map((name) => join(root, name));

/** Leaves out editors' temporary files. */
const CODE = /^[^.]+$|\.(ts|mjs|json|ndjson)$/;

/** Editors may save in several steps, so a restart waits for the last step. */
const SETTLE_MS = 200;

/** A debugger may have paused the program, which then does not end by itself. */
const KILL_AFTER_MS = 5000;

/**
 * @param argsOf returns the program and its arguments.
 * @returns the exit code of the first run if that ends by itself. A later run may end because of a mistake in the code;
 *   then the next change starts the program again.
 */
export async function runOnChange(
  argsOf: (isFirst: boolean) => readonly string[],
  env: NodeJS.ProcessEnv,
  ended: AbortSignal,
  report: (line: string) => void,
): Promise<number | undefined> {
  const closing = new AbortController();
  const signal = AbortSignal.any([ended, closing.signal]);
  let change = nextChange(signal);
  for (let isFirst = true; !ended.aborted; isFirst = false) {
    const child = spawn(process.execPath, argsOf(isFirst), { stdio: 'inherit', env });
    const exited = once(child, 'exit');
    if (isFirst) {
      await Promise.race([exited, change]);
      if (child.exitCode !== null) {
        closing.abort();
        return child.exitCode;
      }
    }
    const path = await change;
    change = nextChange(signal);
    if (path !== undefined) report(`Starting again after a change of ${path} …`);
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await exited;
    clearTimeout(timer);
  }
  return undefined;
}

/**
 * Watches each folder, because `node --watch` and (on Linux) a recursive `fs.watch` lose a file when a rename replaces
 * it.
 * @returns undefined if the signal is aborted.
 */
async function nextChange(signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const watchTree = (folder: string) => {
    watch(folder, { signal: closing.signal }, (_, name) => {
      if (name === null || !CODE.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(resolve, SETTLE_MS, relative(root, join(folder, name)));
    });
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) unlessDeleted(() => watchTree(join(folder, entry.name)));
    }
  };
  for (const folder of WATCHED) watchTree(folder);
  signal.addEventListener('abort', () => resolve(undefined), { signal: closing.signal });
  if (signal.aborted) resolve(undefined);
  return promise.finally(() => closing.abort());
}

/** Git may delete a folder before it can be watched. The watcher of its parent then reports the change. */
function unlessDeleted(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof Error && nameOf(error) === 'ENOENT')) throw error;
  }
}
