import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileIn, runningOn, type ServiceState, withAdvice } from '../operator/cli/service-state.ts';

const OF_SERVICE =
  /^((service|issuer)\.json(\.new)?|dynamodb\.sqlite(-wal|-shm)?|files|sam\.json)$/;
/** npm installs the embedded DynamoDB into the default data folder. */
const OF_NPM = /^(node_modules|package(-lock)?\.json)$/;

const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/**
 * Only one service at a time may use the data, and other users of the machine must not read it.
 * @returns a function that unlocks it.
 * @throws Error that says what to do, if another process uses the folder, or if the folder cannot be used.
 */
export function lockFolder(directory: string): () => void {
  const file = fileIn(directory);
  const owner = withAdvice(() => {
    createFolder(directory);
    return runningOn(directory);
  });
  if (owner !== undefined) {
    throw new Error(
      `The service is already starting or running on this data (process ${owner.pid}). Stop it ` +
        `first, or choose another folder with --data DIR. If none is running, delete ${file}.`,
    );
  }
  withAdvice(() => {
    restrictToOwner(directory);
    // A killed service may have left the file behind. If several start at once, only one can create it (`wx`).
    rmSync(file, { force: true });
    const mode = OWNER_ONLY.file;
    writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode });
  });
  return () => rmSync(file, { force: true });
}

/** Node.js's own recursive `mkdirSync` never returns for a folder in `/proc`. */
function createFolder(directory: string): void {
  if (existsSync(directory)) return;
  createFolder(dirname(directory));
  mkdirSync(directory);
}

export function writeState(directory: string, state: ServiceState): void {
  const file = fileIn(directory);
  const mode = OWNER_ONLY.file;
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode });
  // Renamed, so that no command reads half a file.
  renameSync(`${file}.new`, file);
}

/** A folder with files other than the service's keeps its permissions, because other users may need those files. */
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
