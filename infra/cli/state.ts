import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../project.ts';

/** The folder of a local service's data, relative to the project's. */
export const dataFolder = (name = '.local') => resolve(fileURLToPath(root), name);

/** What the commands need to know of a running local service. */
export interface State {
  pid: number;
  baseUrl: string;
  issuer: string;
  tokenEndpoint: string;
  databaseEndpoint: string;
  region: string;
  tableName: string;
}

const fileIn = (directory: string) => join(directory, 'service.json');

/** Creates the folder for the data, unless it exists. */
export const makeFolder = (directory: string) => void mkdirSync(directory, { recursive: true });

/**
 * Reserves the data for this process, so that only one service at a time works on it.
 * @returns what gives it back
 * @throws Error if another process has it.
 */
export function reserve(directory: string): () => void {
  const file = join(directory, 'service.lock');
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const owner = Number(readFileSync(file, 'utf8'));
    if (isAlive(owner)) {
      throw new Error(
        `The service is already starting or running on this data (process ${owner}). Stop it first, ` +
          `or choose another folder with --data DIR. If it is not running, delete ${file}.`,
      );
    }
    // A service that was killed leaves its file behind.
    rmSync(file, { force: true });
    return reserve(directory);
  }
  return () => rmSync(file, { force: true });
}

const hasCode = (error: unknown, code: string) =>
  error instanceof Error && 'code' in error && error.code === code;

/** Records that the service is running, in the folder of its data. */
export function writeState(directory: string, state: State): void {
  makeFolder(directory);
  // Renamed into place, so that no command reads half of it.
  writeFileSync(`${fileIn(directory)}.new`, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(`${fileIn(directory)}.new`, fileIn(directory));
}

/** Records that the service has ended. */
export function removeState(directory: string): void {
  rmSync(fileIn(directory), { force: true });
}

/**
 * The local service that runs on the data in `directory`.
 * @throws Error if there is none.
 */
export function readState(directory: string): State {
  try {
    const state: State = JSON.parse(readFileSync(fileIn(directory), 'utf8'));
    // A service that was killed leaves its file behind.
    if (isAlive(state.pid)) return state;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  throw new Error('The local service is not running: start it with npm start.');
}

/** Whether a process is running; no process has the id 0. */
function isAlive(pid: number): boolean {
  try {
    // Signal 0 to process 0 reaches the group of this process.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // It runs under another user.
    return hasCode(error, 'EPERM');
  }
}
