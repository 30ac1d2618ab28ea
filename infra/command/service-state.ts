import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../project.ts';
import { explain, nameOf } from './failure.ts';

export const dataFolder = (name = '.local') => resolve(root, name);

/** DynamoDB Local keeps separate data for each access key id. */
export const LOCAL_ACCESS_KEY_ID = 'local';

export interface ServiceState {
  pid: number;
  baseUrl: string;
  issuer: string;
  /** Absent if the tokens come from another issuer. */
  tokenEndpoint?: string;
  databaseEndpoint: string;
  region: string;
  tableName: string;
}

export const fileIn = (directory: string) => join(directory, 'service.json');

/** Other users of the machine must not read it. */
export function writeState(directory: string, state: ServiceState): void {
  const file = fileIn(directory);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  // Renamed, so that no command reads half a file.
  renameSync(`${file}.new`, file);
}

/** @throws Error if no service runs on the data in `directory`, or if the folder cannot be read. */
export function readServiceState(directory: string): ServiceState {
  const state = withAdvice(() => runningOn(directory));
  if (state !== undefined) return state;
  throw new Error(
    `No local service is running on the data in ${directory}. Start one with npm start, or name the data folder of ` +
      'a running one with --data DIR.',
  );
}

/** Undefined if no service runs (a killed one may have left its file) or it is still starting. */
export function runningOn(directory: string): ServiceState | undefined {
  try {
    const state: ServiceState = JSON.parse(readFileSync(fileIn(directory), 'utf8'));
    return isRunning(state.pid) ? state : undefined;
  } catch (error) {
    if (error instanceof Error && nameOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return error instanceof Error && nameOf(error) === 'EPERM';
  }
}

export function withAdvice<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${explain(cause)} Choose a folder of your own with --data DIR.`, { cause });
  }
}
