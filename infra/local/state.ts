import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a running local service tells the commands that talk to it. */
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

/** Notes that the service runs, in the folder that holds its data. */
export function writeState(directory: string, state: State): void {
  mkdirSync(directory, { recursive: true });
  // At once, so that no command reads half of it.
  writeFileSync(`${fileIn(directory)}.new`, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(`${fileIn(directory)}.new`, fileIn(directory));
}

/** Notes that the service has ended. */
export function removeState(directory: string): void {
  rmSync(fileIn(directory), { force: true });
}

/**
 * The local service that runs on the data in `directory`.
 * @throws Error where none runs.
 */
export function readState(directory: string): State {
  const state = findState(directory);
  if (state === undefined) {
    throw new Error('The local service is not running: start it with npm start.');
  }
  return state;
}

/** The local service that runs on the data in `directory`, if one does. */
export function findState(directory: string): State | undefined {
  let text: string;
  try {
    text = readFileSync(fileIn(directory), 'utf8');
  } catch {
    return undefined;
  }
  const state: State = JSON.parse(text);
  // The file of a service that was killed is still there.
  return isAlive(state.pid) ? state : undefined;
}

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, and is another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
