// `npm run export`: writes the jobs and applications of a table to a file that can be imported.
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../../cli/command.ts';
import { explainFailure } from '../../cli/failure.ts';
import { OutputFile, pathOf } from '../../cli/files.ts';
import { counted, EVERY_MS, reportEvery, written } from '../../cli/output.ts';
import {
  checkTableOptions,
  MAX_ATTEMPTS,
  openTable,
  TABLE_USAGE,
  tableOptions,
} from '../../cli/table.ts';
import { type ContinuedFile, continueFile } from './continued-file.ts';
import { type ExportCounts, exportLines } from './export-records.ts';

const usage = `Usage: npm run export -- --output FILE [--resume] [--tenant T]
                         [--data DIR | --table NAME [--region REGION]]
       npm run -s export -- [--tenant T] [--data DIR | --table NAME [--region REGION]]

Writes all jobs, with their history, and all applications to FILE, or to standard output, one JSON object
on each line, as npm run import reads them. Imported into an empty table, they make the same items. The
command reads the whole table, and takes no snapshot of it: stop writers first, or export again what they
changed. Applications that have expired are exported too, while DynamoDB still has them.

  --output FILE    write to FILE, which must not exist and which only its owner may read
  --resume         continue the FILE of an export that stopped, after its last record
  --tenant T       export only the records of this tenant
${TABLE_USAGE}
A record from which the import would not make the same item is named and exported with all that is stored
of it; an item that is neither a job nor an application is left out. The exit code is 0 if there was no
such record or item, 1 if there was or if the export stopped, 2 if the command line was wrong.
`;

/** `npm run export`. */
export const command = { usage, run };

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  using table = openTable(values, io, { maxAttempts: MAX_ATTEMPTS });
  const to = await openOutput(values, io);
  const counts: ExportCounts = { job: 0, application: 0, different: 0, unknown: 0 };
  const signal = io.interruption();
  table.stopOn(signal);
  const progress = reportEvery(EVERY_MS, io.stderr, () => reportOf(counts));
  const lines = exportLines(
    {
      ...{ table, tenant: values.tenant, after: to.after, signal },
      onDifference: ({ name, difference }) => io.stderr.write(`${name}: ${difference}\n`),
    },
    counts,
  );
  try {
    await using file = to.file;
    const write = file
      ? (text: string) => file.write(text)
      : (text: string) => written(io.stdout, text);
    for await (const text of lines) await write(text);
  } catch (error) {
    io.stderr.write(`${reportOf(counts)}\n`);
    const how = to.file ? 'run the same command with --resume' : 'it is not complete';
    throw new Error(`The export stopped: ${how}. ${explainFailure(error, table.name)}`, {
      cause: error,
    });
  } finally {
    progress.stop();
  }
  io.stderr.write(`${reportOf(counts)}\n`);
  if (counts.unknown > 0) {
    io.stderr.write(`${counted(counts.unknown, 'item')} left out: neither job nor application.\n`);
  }
  return counts.different + counts.unknown === 0 ? 0 : 1;
}

const reportOf = ({ job, application }: ExportCounts) =>
  `${counted(job, 'job')} and ${counted(application, 'application')} exported.`;

/** Where the lines go: a file, or standard output if there is none. */
async function openOutput(
  { output, resume }: ReturnType<typeof readArguments>,
  io: CommandIo,
): Promise<Partial<ContinuedFile>> {
  if (output === undefined) return {};
  const path = pathOf(output, io);
  return resume ? continueFile(path) : { file: await OutputFile.create(path) };
}

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      ...tableOptions,
      output: { type: 'string' },
      resume: { type: 'boolean', default: false },
      tenant: { type: 'string' },
    },
  });
  checkTableOptions(values);
  if (values.resume && values.output === undefined) {
    throw new WrongUsage('--resume can only be used with --output.');
  }
  if (values.tenant !== undefined) requireIdentifier('tenant', values.tenant);
  return values;
}

await runMain(import.meta, command);
