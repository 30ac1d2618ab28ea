// `npm run read-logs`: makes log lines of deployed functions readable, with source locations.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { operationNames, operations } from '../../functions/operations/operations.ts';
import { readableLine } from './cli/log-line.ts';
import { type CommandIo, runMain } from './cli/run-command.ts';

const usage = `Usage: npm run -s read-logs < LINES

Makes log lines of deployed functions readable, and maps stack traces to source files. In a checkout of the
deployed commit, run npm ci && npm run build first.
`;

export const command = { usage, run };

/** The folder in which Lambda keeps a function's code. */
const DEPLOYED = 'file:///var/task/';

async function run({ stdin, stdout }: CommandIo): Promise<undefined> {
  for await (const text of createInterface({ input: stdin })) {
    // `aws logs tail` prints the time before the JSON.
    const line = text.slice(Math.max(text.indexOf('{'), 0));
    const name = operationNames.find((each) => line.includes(`"${operations[each].operationId}"`));
    const built = pathToFileURL(`dist/functions/${name}/`).href;
    stdout.write(`${readableLine(line.replaceAll(DEPLOYED, () => built))}\n`);
  }
}

await runMain(import.meta, command);
