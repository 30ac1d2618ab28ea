import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../project.ts';

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

/**
 * Reserves the folder of the data for this process, so that only one service at a time works on it; creates
 * the folder.
 * @returns what gives it back
 * @throws Error if another process has it.
 */
export function reserve(directory: string): () => void {
  const file = fileIn(directory);
  mkdirSync(directory, { recursive: true });
  const owner = runningOn(directory);
  if (owner !== undefined) {
    throw new Error(
      `The service is already starting or running on this data (process ${owner.pid}). Stop it first, ` +
        `or choose another folder with --data DIR. If it is not running, delete ${file}.`,
    );
  }
  // That of a service that was killed. Of those that start at once, only one creates the file again.
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx' });
  return () => rmSync(file, { force: true });
}

/** Records, in the folder of the data that this process has reserved, that the service is running. */
export function writeState(directory: string, state: State): void {
  const file = fileIn(directory);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`);
  // So that no command reads half of it.
  renameSync(`${file}.new`, file);
}

/**
 * The local service that runs on the data in `directory`.
 * @throws Error if there is none.
 */
export function readState(directory: string): State {
  const state = runningOn(directory);
  if (state !== undefined && 'baseUrl' in state) return state;
  throw new Error('The local service is not running: start it with npm start.');
}

/** What the process that has reserved the data says of itself; a service that was killed leaves its file behind. */
function runningOn(directory: string): State | Pick<State, 'pid'> | undefined {
  try {
    const state: State | Pick<State, 'pid'> = JSON.parse(readFileSync(fileIn(directory), 'utf8'));
    // Signal 0 tells whether a process is running; process 0 would be the group of this one.
    return state.pid > 0 && process.kill(state.pid, 0) ? state : undefined;
  } catch {
    return undefined;
  }
}
