import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileIn, runningOn, type ServiceState, withAdvice } from '../operator/cli/service-state.ts';

/** Other users of the machine must not read the data. */
export const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/**
 * Only one service at a time may use the data.
 * @returns a function that unlocks it.
 * @throws Error that says what to do, if another process uses the folder, or if the folder cannot be used.
 */
export function lockFolder(directory: string): () => void {
  const file = fileIn(directory);
  const owner = withAdvice(() => {
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY.folder });
    return runningOn(directory);
  });
  if (owner !== undefined) {
    throw new Error(
      `The service is already starting or running on this data (process ${owner.pid}). Stop it ` +
        `first, or choose another folder with --data DIR. If none is running, delete ${file}.`,
    );
  }
  withAdvice(() => {
    // A killed service may have left the file behind. If several start at once, only one can create it (`wx`).
    rmSync(file, { force: true });
    const mode = OWNER_ONLY.file;
    writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode });
  });
  return () => rmSync(file, { force: true });
}

export function writeState(directory: string, state: ServiceState): void {
  const file = fileIn(directory);
  const mode = OWNER_ONLY.file;
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 2)}\n`, { mode });
  // Renamed, so that no command reads half a file.
  renameSync(`${file}.new`, file);
}
