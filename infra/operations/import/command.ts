// `npm run import`: writes the jobs and applications of a file to a table.
import { type CommandIo, readOptions, runMain, WrongUsage } from '../../cli/command.ts';
import { explainFailure } from '../../cli/failure.ts';
import { OutputFile, pathOf } from '../../cli/files.ts';
import { counted } from '../../cli/output.ts';
import { checkTableOptions, openTable, TABLE_USAGE, tableOptions } from '../../cli/table.ts';
import { readDays } from '../retention/expiry.ts';
import { BatchWriter, WriteStopped } from './batch-writer.ts';
import { type ImportCounts, ImportStopped, importRecords } from './import-records.ts';
import { showProgress } from './progress.ts';
import { dynamoDbJsonWriter, type RecordWriter } from './record-writer.ts';
import { openSource } from './source.ts';

const usage = `Usage: npm run import -- FILE [--from-line N] [--expire-after-days N] [--rejects FILE] [--dry-run]
                         [--data DIR | --table NAME [--region REGION] | --dynamodb-json OUT]

Writes the jobs and applications of FILE (- for standard input, NAME.gz for a compressed file), one JSON
object on each line, to the table of the local service, or with --table to a table in AWS. An invalid
line is reported and skipped. The exit code is 0 if every line was written, 1 if not or if there was
none, 2 if the command line was wrong.

  {"type":"job","id":"4007","status":"draft"}
  {"type":"application","job_id":"4007", and the members of the API's answer}

  --from-line N          skip the lines before line N
  --expire-after-days N  an application without "expires_at" expires N days after "created_at"
  --rejects FILE         write the refused lines to FILE, which must not exist and which only its owner
                         may read: correct them, and import that file
  --dry-run              check every line, and write no record
  --dynamodb-json OUT    write the records to the new file OUT for DynamoDB's import from S3
${TABLE_USAGE}
Each line may name a "tenant"; the default is "default". In an application, members that the API may
answer as null or [] can be left out, and "expires_at" (seconds since 1970) can be added. All that a
line may have: docs/data.md.

A record that exists is replaced; the version of a job grows, without an event: this command is for loading
data. To change the status of a job, call the API.

An import that stops, because of a failure or Ctrl-C, says which line to continue from:

  npm run import -- FILE --from-line LINE
`;

/** `npm run import`. */
export const command = { usage, run };

type Arguments = ReturnType<typeof readArguments>;

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  const { file, fromLine } = values;
  await using opened = new AsyncDisposableStack();
  const source = await openSource(file, io);
  opened.defer(() => void source.input.destroy());
  const newFile = async (name: string) => opened.use(await OutputFile.create(pathOf(name, io)));
  const to = await openTarget(values, io, opened, newFile);
  const rejects = values.rejects === undefined ? undefined : await newFile(values.rejects);
  const { stop, onProgress, onRefused } = showProgress(io.stderr, source.bytes);
  let counts: ImportCounts;
  try {
    counts = await importRecords({
      ...values,
      input: source.input,
      writer: to.writer,
      signal: to.signal,
      onProgress: (read, line) => onProgress(source.readBytes?.() ?? read, line),
      async onRefused(line, reason, bytes) {
        await onRefused(line, reason);
        if (!rejects || !bytes) return;
        await keep(rejects, bytes);
      },
    }).finally(stop);
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error;
    io.stdout.write(reportOf(error.counts, to.done));
    const why = explainFailure(error.cause, to.name);
    throw new Error(`${error.message} ${why}`, { cause: error });
  }
  io.stdout.write(reportOf(counts, to.done));
  const { jobs, applications, refused } = counts;
  if (jobs + applications + refused === 0) {
    const from = file === '-' ? 'Standard input' : `The file ${file}`;
    const after = fromLine === 1 ? '' : ` from line ${fromLine} on`;
    throw new Error(`${from} contains no records${after}: nothing was imported.`);
  }
  return refused === 0 ? 0 : 1;
}

/** Writes a refused line to the file at once, so that no line before the one to continue from is lost. */
async function keep(rejects: OutputFile, line: Buffer): Promise<void> {
  try {
    await rejects.write(line);
    await rejects.write('\n');
    await rejects.flush();
  } catch (cause) {
    throw new WriteStopped('A refused line cannot be written.', { cause });
  }
}

/** Where the records go. */
interface Target {
  writer: RecordWriter;
  signal: AbortSignal;
  /** The table, or the file in its place. */
  name: string;
  /** What was done with the records that are counted. */
  done: string;
}

async function openTarget(
  values: Arguments,
  io: CommandIo,
  opened: AsyncDisposableStack,
  newFile: (name: string) => Promise<OutputFile>,
): Promise<Target> {
  const { isDryRun, dynamoDbJson: name } = values;
  if (name !== undefined) {
    const file = await newFile(name);
    const writer = dynamoDbJsonWriter(file);
    return { writer, signal: io.interruption(), name, done: `written to ${name}` };
  }
  if (isDryRun) {
    const writer = dynamoDbJsonWriter();
    return { writer, signal: io.interruption(), name: '', done: 'would be written' };
  }
  const table = opened.use(openTable(values, io));
  await table.checkAccess().catch((error) => {
    throw new Error(`Nothing was imported. ${explainFailure(error, table.name)}`, { cause: error });
  });
  const signal = io.interruption();
  table.stopOn(signal);
  return { writer: new BatchWriter(table, { signal }), signal, name: table.name, done: 'written' };
}

function reportOf({ jobs, applications, expired, refused }: ImportCounts, done: string): string {
  const written = `${counted(jobs, 'job')} and ${counted(applications, 'application')} ${done}`;
  const gone =
    expired === 0
      ? ''
      : ` Of the applications, ${expired} ${expired === 1 ? 'has' : 'have'} already expired.`;
  return `${written}, ${counted(refused, 'line')} refused.${gone}\n`;
}

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      'from-line': { type: 'string', default: '1' },
      'expire-after-days': { type: 'string' },
      rejects: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'dynamodb-json': { type: 'string' },
    },
  });
  const {
    'from-line': line,
    'expire-after-days': days,
    'dry-run': isDryRun,
    'dynamodb-json': dynamoDbJson,
    ...options
  } = values;
  const [file = '', ...others] = positionals;
  if (file === '' || others.length > 0) {
    throw new WrongUsage('Name exactly one FILE, or - for standard input.');
  }
  checkTableOptions(options);
  if (dynamoDbJson !== undefined && (isDryRun || (options.table ?? options.data) !== undefined)) {
    throw new WrongUsage(
      '--dynamodb-json writes a file: --dry-run, --table and --data exclude it.',
    );
  }
  const expireAfterDays = days === undefined ? undefined : readDays('expire-after-days', days);
  return { file, fromLine: readLine(line), expireAfterDays, isDryRun, dynamoDbJson, ...options };
}

function readLine(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new WrongUsage('--from-line must be the number of a line, from 1.');
}

await runMain(import.meta, command);
