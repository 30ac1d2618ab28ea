import { fileURLToPath } from 'node:url';
import { type Run, runCommand } from './operator-command.ts';

/** The file with the sample data. */
export const SAMPLE = fileURLToPath(
  new URL('../../infra/local/sample-data.ndjson', import.meta.url),
);

/** Runs `npm run import` with these arguments. */
export const run = (args: string[], options?: Run) => runCommand('import', args, options);
