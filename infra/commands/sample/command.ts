// `npm run sample`: writes invented records to a file that can be imported.
import { pipeline } from 'node:stream/promises';
import { createFile } from '../cli/operator-files.ts';
import { pluralize } from '../cli/output.ts';
import { type CommandIo, readOptions, runMain, WrongUsage } from '../cli/run-command.ts';
import { sampleRecords } from './sample-records.ts';

const usage = `Usage: npm run sample -- --jobs N --applications M --output FILE

Writes N jobs and M applications of invented people to FILE, as npm run import reads them. Most applications
are to few jobs. The records are the same each time.

  --jobs N           how many jobs, from 1
  --applications M   how many applications, from 0
  --output FILE      write to FILE, which must not exist
`;

export const command = { usage, run };

async function run(io: CommandIo): Promise<undefined> {
  const { values } = readOptions({
    args: io.args,
    options: {
      jobs: { type: 'string' },
      applications: { type: 'string' },
      output: { type: 'string' },
    },
  });
  const jobs = readCount('jobs', values.jobs, 1);
  const applications = readCount('applications', values.applications, 0);
  if (values.output === undefined) throw new WrongUsage('--output is required.');
  await using file = await createFile(values.output, io);
  const lines = function* () {
    for (const record of sampleRecords({ jobs, applications })) yield `${JSON.stringify(record)}\n`;
  };
  await pipeline(lines, file.createWriteStream());
  io.stderr.write(`${pluralize(jobs + applications, 'record')} written.\n`);
}

function readCount(option: string, text: string | undefined, least: number): number {
  if (/^\d{1,9}$/.test(text ?? '') && Number(text) >= least) return Number(text);
  throw new WrongUsage(`--${option} must be a whole number from ${least}.`);
}

await runMain(import.meta, command);
