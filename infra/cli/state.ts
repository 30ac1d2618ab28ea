import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's folder. */
export const root = new URL('../../', import.meta.url);

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

/**
 * Makes the folder that holds the data, where there is none.
 * @throws Error where there cannot be one.
 */
export function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const why = code === 'EEXIST' ? 'is not a folder' : `cannot be made (${code})`;
    throw new Error(`The data cannot be kept in ${directory}, which ${why}: name another folder.`, {
      cause: error,
    });
  }
}

/** Notes that the service runs, in the folder that holds its data. */
export function writeState(directory: string, state: State): void {
  makeFolder(directory);
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
 * @throws Error where none runs, or where it cannot be told.
 */
export function readState(directory: string): State {
  const state = findState(directory);
  if (state === undefined) {
    throw new Error('The local service is not running: start it with npm start.');
  }
  return state;
}

/**
 * The local service that runs on the data in `directory`, if one does.
 * @throws Error where that cannot be told.
 */
export function findState(directory: string): State | undefined {
  let text: string;
  try {
    text = readFileSync(fileIn(directory), 'utf8');
  } catch {
    return undefined;
  }
  const state = parse(text);
  if (state === undefined) {
    throw new Error(
      `The file ${fileIn(directory)} is damaged: stop the service if it runs, remove the file, and ` +
        'start the service with npm start.',
    );
  }
  // The file of a service that was killed is still there.
  return isAlive(state.pid) ? state : undefined;
}

function parse(text: string): State | undefined {
  try {
    const state: State = JSON.parse(text);
    return Number.isInteger(state.pid) ? state : undefined;
  } catch {
    return undefined;
  }
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
