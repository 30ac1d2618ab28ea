import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../../project.ts';
import { explain, nameOf } from './failure.ts';

/** Returns the folder of a local service's data. A relative `name` is relative to the project's folder. */
export const dataFolder = (name = '.local') => resolve(root, name);

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

export const fileIn = (directory: string) => join(directory, 'service.json');

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

/** Returns the state of the running process that has reserved the data folder. Ignores the file of a killed service. */
export function runningOn(directory: string): State | Pick<State, 'pid'> | undefined {
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
export function withAdvice<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${explain(cause)} Choose a folder of your own with --data DIR.`, { cause });
  }
}
