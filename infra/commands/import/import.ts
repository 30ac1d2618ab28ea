// `npm run import`: writes the jobs and applications of a file to a table.

import { isDays, MOST_DAYS } from '../../writer/expiry.ts';
import { fileCheck, filesOptions, filesUsage } from '../cli/files-bucket.ts';
import { createFile } from '../cli/operator-files.ts';
import { pluralize, showProgress } from '../cli/output.ts';
import { type CommandIo, readOptions, runMain, WrongUsage } from '../cli/run-command.ts';
import { onTable } from '../cli/table.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import { BatchWriter } from './batch-writer.ts';
import {
  countWritten,
  importRecords,
  newProgress,
  type Progress,
  type RecordWriter,
} from './import-records.ts';
import type { Line } from './lines.ts';
import { openSource } from './source.ts';

const usage = `Usage: npm run import -- FILE [--columns COLUMNS] [--from-line N] [--expire-after-days N]
                         [--keep-newer] [--rejects FILE] [--dry-run]
                         [--files-bucket BUCKET [--whole-bucket]]
                         [--data DIR | --table NAME [--region REGION]]
       npm run -s import -- FILE.csv --print-columns > COLUMNS

Writes the jobs and applications of FILE (- for standard input), which may be compressed with gzip, one
JSON object on each line, to the table of the local service, or with --table to a table in AWS. With
--columns, FILE is a CSV file of applications. An invalid line is reported and skipped. The exit code is 0
if every line was written, 1 if not or if there was none, 2 if the command line was invalid.

  {"type":"job","id":"4007","status":"draft"}
  {"type":"application","job_id":"4007", and the members of the API's response}

  --columns COLUMNS      a JSON file that says which column of the CSV file is which field
  --print-columns        print such a file for the header of FILE, to be filled in, and import nothing
  --from-line N          skip the lines before line N; a row of a CSV file counts as a line
  --expire-after-days N  an application without "expires_at" expires N days after "created_at"
  --keep-newer           overwrite nothing newer: an application with a greater "revision", or with any if the
                         line has none; a removal; a job that exists. Takes a request for each line
  --rejects FILE         write the refused lines to FILE, which must not exist and which only its owner
                         may read: correct them, and import that file
  --dry-run              check every line, and write no record
${filesUsage(23)}${tableUsage(23)}
Each line may name a "tenant"; the default is "default". In an application, members that may be null
or [] in the API's response can be left out, and "expires_at" (seconds since 1970) can be added. A file in
S3 is refused unless the API would give it to the tenant. All that a line may have: docs/data.md.

A record that exists is replaced; the version of a job grows, without an event: this command is for loading
data. To change the status of a job, call the API.
An import that stops, because of a failure or Ctrl-C, writes what it has read, unless writing fails, and says
which line to continue from. It writes what a pipe gives within a second.
`;

/** `npm run import`. */
export const command = { usage, run };

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      ...filesOptions,
      'from-line': { type: 'string', default: '1' },
      'expire-after-days': { type: 'string' },
      columns: { type: 'string' },
      'print-columns': { type: 'boolean', default: false },
      'keep-newer': { type: 'boolean', default: false },
      rejects: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const { 'from-line': line, 'expire-after-days': days, 'dry-run': isDryRun, ...options } = values;
  const [file = '', ...others] = positionals;
  if (file === '' || others.length > 0) {
    throw new WrongUsage('Name exactly one FILE, or - for standard input.');
  }
  checkTableOptions(options);
  if (!/^[1-9]\d{0,14}$/.test(line)) {
    throw new WrongUsage('--from-line must be a line number from 1.');
  }
  const expireAfterDays = days === undefined ? undefined : readDays(days);
  return { ...options, file, fromLine: Number(line), expireAfterDays, isDryRun };
}

/**
 * Returns the value of `--expire-after-days`.
 * @throws WrongUsage if the value is not a whole number from 1 to 36500.
 */
function readDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && isDays(days)) return days;
  throw new WrongUsage(`--expire-after-days must be a whole number from 1 to ${MOST_DAYS}.`);
}

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  const csv = values.columns === undefined ? undefined : await readCsv(values.columns, io);
  await using opened = new AsyncDisposableStack();
  const { input, share } = await openSource(values.file, io);
  opened.defer(() => void input.destroy());
  if (values['print-columns']) {
    const { templateFor } = await import('./csv-rows.ts');
    io.stdout.write(`${JSON.stringify(await templateFor(input), null, 2)}\n`);
    return 0;
  }
  const rejects =
    values.rejects === undefined ? undefined : opened.use(await createFile(values.rejects, io));
  const checkFile = fileCheck(values);
  const reached = newProgress();
  const unit = csv ? 'row' : 'line';
  const progress = showProgress(io.stderr, () => progressOf(reached, share()));
  let header: Buffer | undefined;
  const load = async (writer: RecordWriter, signal: AbortSignal, done: string) => {
    const onRefused = async (line: number, reason: string, refused: Line) => {
      const kept = refused.source ?? refused.bytes;
      const isLost = rejects !== undefined && kept === undefined;
      const gap = isLost ? `, and therefore not in ${values.rejects}` : '';
      await progress.print(`${unit} ${line}: ${reason}${gap}`);
      if (kept === undefined) return;
      const lines = refused.header === header ? [kept] : [refused.header ?? '', kept];
      header = refused.header;
      const ended = lines.flatMap((bytes) => [Buffer.from(bytes), Buffer.from('\n')]);
      await rejects?.writeFile(Buffer.concat(ended));
    };
    const report = () => {
      progress.stop();
      io.stdout.write(reportOf(reached, done));
    };
    try {
      const { fromLine, expireAfterDays } = values;
      const how = { fromLine, expireAfterDays, checkFile, signal };
      await importRecords({ ...how, input, split: csv, writer, progress: reached, onRefused });
    } catch (error) {
      report();
      const line = writer.firstUnwritten ?? Math.max(reached.line + 1, values.fromLine);
      io.stderr.write(`The import stopped: continue from ${unit} ${line}.\n`);
      throw error;
    }
    report();
    return exitCodeOf(reached, values);
  };
  try {
    if (values.isDryRun)
      return await load(dryWriter(reached), io.interruption(), 'would be written');
    return await onTable(values, io, (table, signal) =>
      load(
        new BatchWriter(table, reached, signal, { keepsNewer: values['keep-newer'] }),
        signal,
        'written',
      ),
    );
  } finally {
    progress.stop();
  }
}

/** Counts the records, and writes none. */
const dryWriter = (progress: Progress): RecordWriter => ({
  add: async (record) => countWritten(progress, record),
  flush: async () => undefined,
});

/** Returns what splits a CSV file into lines. Only such an import loads the parser. */
async function readCsv(columns: string, io: CommandIo) {
  const { readColumns } = await import('./csv-columns.ts');
  const { csvLines } = await import('./csv-rows.ts');
  return csvLines(await readColumns(columns, io));
}

/** Says how many lines were written: what was only read may be lost with this process. */
const progressOf = ({ jobs, applications, tombstones, refused }: Progress, share: string) =>
  `${pluralize(jobs + applications + tombstones, 'line')} written, ${refused} refused${share}`;

function exitCodeOf(
  { jobs, applications, tombstones, older, refused }: Progress,
  values: ReturnType<typeof readArguments>,
): number {
  if (jobs + applications + tombstones + older + refused > 0) return refused === 0 ? 0 : 1;
  const from = values.file === '-' ? 'Standard input' : `The file ${values.file}`;
  const after = values.fromLine === 1 ? '' : ` from line ${values.fromLine} on`;
  throw new Error(`${from} contains no records${after}: nothing was imported.`);
}

function reportOf({ jobs, applications, expired, refused, ...others }: Progress, done: string) {
  const { tombstones, older } = others;
  const counts = `${pluralize(jobs, 'job')} and ${pluralize(applications, 'application')}`;
  const guards = tombstones === 0 ? '' : ` and ${pluralize(tombstones, 'tombstone')}`;
  const kept = older === 0 ? '' : `, ${pluralize(older, 'line')} older than what is stored`;
  const written = `${counts}${guards} ${done}${kept}`;
  const verb = expired === 1 ? 'has' : 'have';
  const gone = expired === 0 ? '' : ` Of the applications, ${expired} ${verb} already expired.`;
  return `${written}, ${pluralize(refused, 'line')} refused.${gone}\n`;
}

await runMain(import.meta, command);
