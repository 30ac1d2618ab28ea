import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../project.ts';

const WATCHED = ['functions', 'infra'].map((name) => join(root, name));

/** Code and folders. Others are an editor's temporary files. */
const CODE = /^[^.]+$|\.(ts|json)$/;

/** Time for an editor to finish a save of several steps. */
const SETTLE_MS = 200;

/**
 * Runs a program with Node.js, and again whenever the code changes.
 * @param argsOf returns the program and its arguments.
 * @returns the exit code of the first run if it ends by itself. Later runs may end because of a mistake in the code, which
 *   the next change corrects.
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
    await exited;
  }
  return undefined;
}

/**
 * Undefined if the signal is aborted. Watches folders, because Node.js loses a file that a rename has replaced, as do
 * `node --watch` and a recursive `fs.watch` on Linux.
 */
async function nextChange(signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  for (const folder of WATCHED.flatMap(foldersIn)) {
    watch(folder, { signal: closing.signal }, (_, name) => {
      if (name === null || !CODE.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(resolve, SETTLE_MS, relative(root, join(folder, name)));
    });
  }
  signal.addEventListener('abort', () => resolve(undefined), { signal: closing.signal });
  if (signal.aborted) resolve(undefined);
  return promise.finally(() => closing.abort());
}

const foldersIn = (folder: string): string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name)),
];
