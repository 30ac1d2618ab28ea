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

/** Returns the folder of a local service's data. A relative `name` is relative to the project's folder. */
export const dataFolder = (name = '.local') => resolve(fileURLToPath(root), name);

/**
 * The access key ID with which the local service and the commands use the service's database. DynamoDB Local keeps
 * separate data for each access key ID.
 */
export const LOCAL_ACCESS_KEY_ID = 'local';

/** The properties of a running local service that the commands need. */
export interface State {
  pid: number;
  baseUrl: string;
  issuer: string;
  /** Absent if the service accepts the tokens of another issuer than its own. */
  tokenEndpoint?: string;
  databaseEndpoint: string;
  region: string;
  tableName: string;
}

const fileIn = (directory: string) => join(directory, 'service.json');

/** The names of the files and folders that a local service creates in its data folder. Earlier releases wrote `cdk.out`. */
const OF_SERVICE =
  /^((service|issuer)\.json(\.new)?|dynamodb\.sqlite(-wal|-shm)?|files|sam\.json|cdk\.out)$/;
/** The names that npm creates in the default data folder when it installs the embedded DynamoDB. */
const OF_NPM = /^(node_modules|package(-lock)?\.json)$/;

/** The permissions of folders and files with personal data, as for chmod. */
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/**
 * Reserves the data folder for this process, because only one service at a time may use the data. Creates the folder if
 * it does not exist. Only the owner may use the folder and its files.
 * @returns a function that ends the reservation.
 * @throws Error that says what to do, if another process has reserved the folder or the folder cannot be used.
 */
export function reserve(directory: string): () => void {
  const file = fileIn(directory);
  const owner = withAdvice(() => {
    createFolder(directory);
    return runningOn(directory);
  });
  if (owner !== undefined) {
    throw new Error(
      `The service is already starting or running on this data (process ${owner.pid}). Stop the ` +
        `service first, or choose another folder with --data DIR. If no service is running, delete ${file}.`,
    );
  }
  withAdvice(() => {
    restrictToOwner(directory);
    // Remove the file of a service that was killed. If several services start at once, only one can create the file.
    rmSync(file, { force: true });
    const mode = OWNER_ONLY.file;
    writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode });
  });
  return () => rmSync(file, { force: true });
}

/** Creates a folder and its parents. Node.js's own recursive `mkdirSync` never returns for a folder in `/proc`. */
function createFolder(directory: string): void {
  if (existsSync(directory)) return;
  createFolder(dirname(directory));
  mkdirSync(directory);
}

/** Writes the state of the running service to the data folder, which this process has reserved. */
export function writeState(directory: string, state: State): void {
  const file = fileIn(directory);
  const mode = OWNER_ONLY.file;
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode });
  // A rename prevents a command from reading half of the file.
  renameSync(`${file}.new`, file);
}

/**
 * Returns the state of the local service that uses the data in `directory`.
 * @throws Error if no service is running.
 */
export function readState(directory: string): State {
  const state = withAdvice(() => runningOn(directory));
  if (state !== undefined && 'baseUrl' in state) return state;
  throw new Error(
    `No local service is running on the data in ${directory}. Start a service with npm start, or name the data ` +
      'folder of a running service with --data DIR.',
  );
}

/**
 * Removes the permissions of other users from the data folder and from the service's files in it. If the folder also
 * has other files, the folder keeps its permissions, because other users may need those files.
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

/** Returns the state of the running process that has reserved the data folder. Ignores the file of a killed service. */
function runningOn(directory: string): State | Pick<State, 'pid'> | undefined {
  try {
    const state: State | Pick<State, 'pid'> = JSON.parse(readFileSync(fileIn(directory), 'utf8'));
    return isRunning(state.pid) ? state : undefined;
  } catch (error) {
    // There is no file, or the service was killed while it wrote the file.
    if (error instanceof SyntaxError || (error instanceof Error && nameOf(error) === 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only checks whether the process is running. As a pid, 0 would mean the process group of this process.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // With EPERM, the process is running, but belongs to another user.
    return error instanceof Error && nameOf(error) === 'EPERM';
  }
}

/** Runs `work`, and adds to its errors how to choose another data folder. */
function withAdvice<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${explain(cause)} Choose a folder of your own with --data DIR.`, { cause });
  }
}
