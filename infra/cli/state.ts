import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Creates the folder for the data, unless it exists.
 * @throws Error if it cannot be created.
 */
export function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const why = code === 'EEXIST' ? 'is not a folder' : `cannot be created (${code})`;
    throw new Error(`${directory} ${why}: choose another folder for the data with --data.`, {
      cause: error,
    });
  }
}

/**
 * Reserves the data for this process, so that of services that start at once on it only one does.
 * @returns what gives it back
 * @throws Error if another process has it.
 */
export function reserve(directory: string): () => void {
  const file = join(directory, 'service.lock');
  while (!createOwned(file)) {
    const owner = ownerOf(file);
    // It was given back meanwhile.
    if (owner === undefined) continue;
    // A service that was killed leaves its file behind. Only one process at a time may remove the file of
    // that owner: another one would remove the file of the process that took the data over.
    const removal = `${file}.${owner}`;
    if (isAlive(owner) || !createOwned(removal)) {
      throw new Error(
        `The service is already starting or running on this data (process ${owner}). Stop it first, ` +
          `or choose another folder with --data DIR. If it is not running, delete ${file}*.`,
      );
    }
    if (ownerOf(file) === owner) rmSync(file);
    rmSync(removal);
  }
  return () => rmSync(file, { force: true });
}

/** Creates a file with the id of this process, in one step; returns false if there is one of that name. */
function createOwned(file: string): boolean {
  const draft = `${file}.new-${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** The id of the process that created a file; 0 if it holds none, undefined if there is no file. */
function ownerOf(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
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
 * @throws Error if there is none, or if its file is damaged.
 */
export function readState(directory: string): State {
  const state = findState(directory);
  if (state === undefined) {
    throw new Error('The local service is not running: start it with npm start.');
  }
  return state;
}

/**
 * The local service that runs on the data in `directory`, if there is one.
 * @throws Error if its file is damaged.
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
      `The file ${fileIn(directory)} is damaged. Stop the service if it is running, delete the file ` +
        'and start the service again with npm start.',
    );
  }
  // A service that was killed leaves its file behind.
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

/** Whether a process is running; no process has the id 0. */
export function isAlive(pid: number): boolean {
  try {
    // Signal 0 to process 0 reaches the group of this process.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // It runs under another user.
    return hasCode(error, 'EPERM');
  }
}
