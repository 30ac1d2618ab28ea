// `npm run read-logs`: prints log lines of a deployed function, with places in the sources.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { operationNames, operations } from '../../functions/contract/operations.ts';
import { type CommandIo, runMain } from '../commands/cli/run-command.ts';
import { readableLine } from './log-line.ts';

const usage = `Usage: npm run -s read-logs < LINES

Prints lines of the log of deployed functions for a person, with the stack of a failure in the sources. Run it
in the folder of the deployed commit, after npm ci && npm run build.
`;

export const command = { usage, run };

/** Where Lambda keeps the code of a function. */
const DEPLOYED = 'file:///var/task/';

async function run({ stdin, stdout }: CommandIo): Promise<undefined> {
  for await (const text of createInterface({ input: stdin })) {
    // Before the record, aws logs tail prints the time.
    const line = text.slice(Math.max(text.indexOf('{'), 0));
    const name = operationNames.find((each) => line.includes(`"${operations[each].operationId}"`));
    const built = pathToFileURL(`dist/functions/${name}/`).href;
    stdout.write(`${readableLine(line.replaceAll(DEPLOYED, () => built))}\n`);
  }
}

await runMain(import.meta, command);
