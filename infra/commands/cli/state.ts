import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../project.ts';
import { explain, nameOf } from './failure.ts';

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

/** What a local service keeps in the folder of its data. */
const OF_SERVICE = /^(service\.json(\.new)?|dynamodb\.sqlite(-wal|-shm)?|files|cdk\.out)$/;
/** What npm keeps there, with the embedded DynamoDB. */
const OF_NPM = /^(node_modules|package(-lock)?\.json)$/;

/** The modes of folders and files with personal data, as for chmod. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/**
 * Reserves the folder of the data for this process, so that only one service at a time works on it; creates
 * the folder. Only the owner may use it and the files in it.
 * @returns what gives it back
 * @throws Error that says what to do, if another process has it, or if it cannot be used.
 */
export function reserve(directory: string): () => void {
  const file = fileIn(directory);
  const owner = withAdvice(() => {
    createFolder(directory);
    return runningOn(directory);
  });
  if (owner !== undefined) {
    throw new Error(
      `The service is already starting or running on this data (process ${owner.pid}). Stop it first, ` +
        `or choose another folder with --data DIR. If it is not running, delete ${file}.`,
    );
  }
  withAdvice(() => {
    restrictToOwner(directory);
    // Remove the file of a service that was killed. If several services start at once, only one can create it again.
    rmSync(file, { force: true });
    const mode = OWNER_ONLY.file;
    writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode });
  });
  return () => rmSync(file, { force: true });
}

/** Records, in the folder of the data that this process has reserved, that the service is running. */
export function writeState(directory: string, state: State): void {
  const file = fileIn(directory);
  const mode = OWNER_ONLY.file;
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode });
  // So that no command reads half of it.
  renameSync(`${file}.new`, file);
}

/**
 * The local service that runs on the data in `directory`.
 * @throws Error if there is none.
 */
export function readState(directory: string): State {
  const state = withAdvice(() => runningOn(directory));
  if (state !== undefined && 'baseUrl' in state) return state;
  throw new Error(
    `No local service is running on the data in ${directory}. Start it with npm start, or name the folder of another ` +
      'one with --data DIR.',
  );
}

/**
 * Takes the permissions of other users away, from the folder of the data and from what a service keeps in it. A
 * folder that also holds something else keeps its own permissions: others may need them.
 */
export function restrictToOwner(directory: string): void {
  const names = readdirSync(directory);
  const own = names.filter((name) => OF_SERVICE.test(name));
  const isShared = names.some((name) => !own.includes(name) && !OF_NPM.test(name));
  if (!isShared) chmodSync(directory, OWNER_ONLY.folder);
  for (const name of own) restrictTree(join(directory, name));
}

function restrictTree(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  if ((stats.mode & 0o077) !== 0) chmodSync(path, stats.mode & 0o700);
  if (stats.isDirectory()) for (const name of readdirSync(path)) restrictTree(join(path, name));
}

/**
 * Creates a folder and those above it. Node.js's own recursive `mkdirSync` never returns in a folder such as `/proc`,
 * where a new folder fails as if the one above it were missing.
 */
function createFolder(path: string): void {
  const parent = dirname(path);
  if (existsSync(path) || parent === path) return;
  createFolder(parent);
  mkdirSync(path);
}

/** Returns the process that has reserved the data, if it runs; a service that was killed leaves its file behind. */
function runningOn(directory: string): State | Pick<State, 'pid'> | undefined {
  try {
    const state: State | Pick<State, 'pid'> = JSON.parse(readFileSync(fileIn(directory), 'utf8'));
    return isRunning(state.pid) ? state : undefined;
  } catch (error) {
    // There is no file, or only half of it was written.
    if (error instanceof SyntaxError || (error instanceof Error && nameOf(error) === 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 tells whether a process is running; process 0 would be the group of this one.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return error instanceof Error && nameOf(error) === 'EPERM';
  }
}

/** Runs `work` on the folder of the data; its errors also say how to choose another folder. */
function withAdvice<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${explain(cause)} Choose a folder of your own with --data DIR.`, { cause });
  }
}
