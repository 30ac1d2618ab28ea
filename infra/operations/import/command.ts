// `npm run import`: writes the jobs and applications of a file to a table.
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type CommandIo, readOptions, runMain, WrongUsage } from '../../cli/command.ts';
import { explainFailure } from '../../cli/failure.ts';
import { pathOf } from '../../cli/files.ts';
import { counted } from '../../cli/output.ts';
import { checkTableOptions, openTable, TABLE_USAGE, tableOptions } from '../../cli/table.ts';
import { readDays } from '../retention/expiry.ts';
import { type ImportCounts, ImportStopped, importRecords } from './import-records.ts';
import { showProgress } from './progress.ts';

const usage = `Usage: npm run import -- FILE [--data DIR]
       npm run import -- FILE --table NAME [--region REGION]

Writes the jobs and applications of FILE (- for standard input), one JSON object on each line, to the
table of the local service, or with --table to a table in AWS. An invalid line is reported and skipped.
The exit code is 0 if every line was written, 1 if not or if there was none, 2 if the command line was
wrong.

  {"type":"job","id":"4007","status":"draft"}
  {"type":"application","job_id":"4007", and the members of the API's answer}

  --from-line N          skip the lines before line N
  --expire-after-days N  an application without "expires_at" expires N days after "created_at"
${TABLE_USAGE}
Each line may name a "tenant"; the default is "default". In an application, members that the API may
answer as null or [] can be left out, and "expires_at" (seconds since 1970) can be added.

A record that exists is replaced; the version of a job grows by one, without an event: this command is for
loading data. To change the status of a job, call the API.

An import that stops, because of a failure or Ctrl-C, says which line to continue from:

  npm run import -- FILE --from-line LINE
`;

/** `npm run import`. */
export const command = { usage, run };

async function run(io: CommandIo): Promise<number> {
  const { file, fromLine, expireAfterDays, ...options } = readArguments(io);
  const source = await openInput(file, io);
  using table = openTable(options);
  const { stop, ...progress } = showProgress(io.stderr, source.bytes);
  const { input } = source;
  const signal = io.interruption();
  let counts: ImportCounts;
  try {
    const what = { input, table, fromLine, expireAfterDays, signal };
    counts = await importRecords({ ...what, ...progress }).finally(stop);
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error;
    io.stdout.write(reportOf(error.counts));
    const why = explainFailure(error.cause, table.name);
    throw new Error(`${error.message} ${why}`, { cause: error });
  }
  io.stdout.write(reportOf(counts));
  const { jobs, applications, refused } = counts;
  if (jobs + applications + refused === 0) {
    const from = file === '-' ? 'Standard input' : `The file ${file}`;
    const after = fromLine === 1 ? '' : ` from line ${fromLine} on`;
    throw new Error(`${from} contains no records${after}: nothing was imported.`);
  }
  return refused === 0 ? 0 : 1;
}

const reportOf = ({ jobs, applications, refused }: ImportCounts) =>
  `${counted(jobs, 'job')} and ${counted(applications, 'application')} written, ` +
  `${counted(refused, 'line')} refused.\n`;

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      'from-line': { type: 'string', default: '1' },
      'expire-after-days': { type: 'string' },
    },
  });
  const { 'from-line': line, 'expire-after-days': days, ...options } = values;
  const [file = '', ...others] = positionals;
  if (file === '' || others.length > 0) {
    throw new WrongUsage('Name exactly one FILE, or - for standard input.');
  }
  checkTableOptions(options);
  const expireAfterDays = days === undefined ? undefined : readDays('expire-after-days', days);
  return { file, fromLine: readLine(line), expireAfterDays, ...options };
}

function readLine(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new WrongUsage('--from-line must be the number of a line, from 1.');
}

/** What to read, and its length in bytes if that is known. */
interface Source {
  input: Readable;
  bytes?: number;
}

async function openInput(name: string, io: CommandIo): Promise<Source> {
  if (name === '-') return { input: io.stdin };
  const path = pathOf(name, io);
  const file: FileHandle = await open(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new WrongUsage(`The file ${path} ${why}.`);
  });
  const stats = await file.stat();
  if (stats.isDirectory()) {
    await file.close();
    throw new WrongUsage(`${path} is a folder, not a file.`);
  }
  return { input: file.createReadStream(), ...(stats.isFile() && { bytes: stats.size }) };
}

await runMain(import.meta, command);
