import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { operationNames, operations } from '../../functions/operations/operations.ts';
import { type CommandIo, runMain } from '../command/run-command.ts';
import { readableLine } from './log-line.ts';

const usage = `Usage: npm run -s read-logs < LINES

Makes log lines of deployed functions readable, with stack traces that name source files. Needs a checkout of the
deployed commit, built with npm ci && npm run build.
`;

export const command = { usage, run };

const DEPLOYED = 'file:///var/task/';

async function run({ stdin, stdout }: CommandIo): Promise<undefined> {
  for await (const text of createInterface({ input: stdin })) {
    // `aws logs tail` prints the time first.
    const line = text.slice(Math.max(text.indexOf('{'), 0));
    const name = operationNames.find((each) => line.includes(`"${operations[each].operationId}"`));
    const built = pathToFileURL(`dist/functions/${name}/`).href;
    stdout.write(`${readableLine(line.replaceAll(DEPLOYED, () => built))}\n`);
  }
}

await runMain(import.meta, command);
