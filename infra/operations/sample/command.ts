// `npm run sample`: writes invented records to a file that can be imported.
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../../cli/command.ts';
import { OutputFile, pathOf } from '../../cli/files.ts';
import { showProgress, written } from '../../cli/output.ts';

const usage = `Usage: npm run sample -- --jobs N --applications M [--seed S] [--tenant T] --output FILE
       npm run -s sample -- --jobs N --applications M [--seed S] [--tenant T]

Writes N jobs and M applications of invented people in several languages to FILE, or to standard output, as
npm run import reads them. Most applications are to few jobs.

  --jobs N           how many jobs, from 1
  --applications M   how many applications, from 0
  --seed S           a whole number from 0; the same one gives the same records; by default 1
  --tenant T         the tenant; by default "default"
  --output FILE      write to FILE, which must not exist
`;

/** `npm run sample`. */
export const command = { usage, run };

async function run(io: CommandIo): Promise<undefined> {
  const { output, ...options } = readArguments(io);
  const { sampleRecords } = await import('./sample-records.ts');
  await using file = output === undefined ? undefined : await OutputFile.create(pathOf(output, io));
  let count = 0;
  const report = () => `${count} of ${options.jobs + options.applications} records written.`;
  const progress = showProgress(io.stderr, report);
  for (const record of sampleRecords(options)) {
    const line = `${JSON.stringify(record)}\n`;
    await (file ? file.write(line) : written(io.stdout, line));
    count += 1;
    // Lets the timer of the progress run.
    if (count % 1000 === 0) await new Promise(setImmediate);
  }
  progress.stop();
  io.stderr.write(`${report()}\n`);
}

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      jobs: { type: 'string' },
      applications: { type: 'string' },
      seed: { type: 'string', default: '1' },
      tenant: { type: 'string', default: 'default' },
      output: { type: 'string' },
    },
  });
  return {
    jobs: readCount('jobs', values.jobs, 1),
    applications: readCount('applications', values.applications, 0),
    seed: readCount('seed', values.seed, 0),
    tenant: requireIdentifier('tenant', values.tenant),
    output: values.output,
  };
}

function readCount(option: string, text: string | undefined, least: number): number {
  if (text === undefined) throw new WrongUsage(`--${option} is required.`);
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new WrongUsage(`--${option} must be a whole number from ${least}.`);
}

await runMain(import.meta, command);
