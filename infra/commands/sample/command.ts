// `npm run sample`: writes invented records to a file that can be imported.
import { type CommandIo, readOptions, runMain, WrongUsage } from '../cli/command.ts';
import { createFile } from '../cli/files.ts';
import { pluralize, showProgress } from '../cli/output.ts';

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
  const { sampleRecords } = await import('./sample-records.ts');
  await using file = await createFile(values.output, io);
  let written = 0;
  let batch = '';
  const total = pluralize(jobs + applications, 'record');
  const progress = showProgress(io.stderr, () => `${written} of ${total} written`);
  try {
    for (const record of sampleRecords({ jobs, applications })) {
      batch += `${JSON.stringify(record)}\n`;
      written += 1;
      // A write for each line would be slow.
      if (written % 1000 > 0) continue;
      await file.writeFile(batch);
      batch = '';
    }
    await file.writeFile(batch);
  } finally {
    progress.stop();
  }
  io.stderr.write(`${total} written.\n`);
}

function readCount(option: string, text: string | undefined, least: number): number {
  if (/^\d{1,9}$/.test(text ?? '') && Number(text) >= least) return Number(text);
  throw new WrongUsage(`--${option} must be a whole number from ${least}.`);
}

await runMain(import.meta, command);
