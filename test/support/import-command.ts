import { fileURLToPath } from 'node:url';
import { command } from '../../infra/operations/import/command.ts';
import { type Run, runCommand } from './operator-command.ts';

/** The file with the sample data. */
export const SAMPLE = fileURLToPath(
  new URL('../../infra/local/sample-data.ndjson', import.meta.url),
);

/** Runs `npm run import` with these arguments. */
export const run = (args: string[], options?: Run) => runCommand(command, args, options);
