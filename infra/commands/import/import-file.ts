import { once } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CommandIo } from '../cli/command.ts';
import { createFile, openFile, pathOf } from '../cli/files.ts';
import { type FilesOptions, fileCheck } from '../cli/files-bucket.ts';
import { pluralize, showProgress } from '../cli/output.ts';
import { onTable } from '../cli/table.ts';
import type { TableOptions } from '../cli/table-options.ts';
import { BatchWriter } from './batch-writer.ts';
import {
  countWritten,
  importRecords,
  type Progress,
  type RecordWriter,
  type Written,
} from './import-records.ts';
import type { StoredRecord } from './records.ts';

export interface ImportFileOptions extends TableOptions, FilesOptions {
  /** Its name, or `-` for standard input. */
  file: string;
  /** The name of the new file for refused lines. */
  rejects?: string | undefined;
  fromLine: number;
  expireAfterDays: number | undefined;
  isDryRun: boolean;
}

/** Lines of records that were written, and of others. */
type ImportCounts = Written & Progress;

/** Imports the file that the command line names; returns the exit code. */
export async function importFile(values: ImportFileOptions, io: CommandIo): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const { input, share } = await openSource(values.file, io);
  opened.defer(() => void input.destroy());
  const rejects =
    values.rejects === undefined ? undefined : opened.use(await createFile(values.rejects, io));
  const checkFile = fileCheck(values);
  const reached = { line: 0, refused: 0 };
  const started = performance.now();
  const progress = showProgress(
    io.stderr,
    () => `line ${reached.line}${left(share(), performance.now() - started)}`,
  );
  const load = async (writer: RecordWriter, signal: AbortSignal, done: string) => {
    const onRefused = async (line: number, reason: string, bytes: Buffer | undefined) => {
      await progress.print(`line ${line}: ${reason}`);
      if (bytes) await rejects?.writeFile(Buffer.concat([bytes, Buffer.from('\n')]));
    };
    const report = () => {
      progress.stop();
      io.stdout.write(reportOf({ ...writer.written, ...reached }, done));
    };
    try {
      const { fromLine, expireAfterDays } = values;
      const how = { fromLine, expireAfterDays, checkFile, signal };
      await importRecords({ ...how, input, writer, progress: reached, onRefused });
    } catch (error) {
      report();
      const line = writer.firstUnwritten ?? Math.max(reached.line + 1, values.fromLine);
      io.stderr.write(`The import stopped: continue from line ${line}.\n`);
      throw error;
    }
    report();
    return exitCodeOf({ ...writer.written, ...reached }, values);
  };
  try {
    if (values.isDryRun) return await load(dryWriter(), io.interruption(), 'would be written');
    return await onTable(values, io, (table, signal) =>
      load(new BatchWriter(table, signal), signal, 'written'),
    );
  } finally {
    progress.stop();
  }
}

/** Counts the records, and writes none. */
function dryWriter(): RecordWriter {
  const written = { jobs: 0, applications: 0, expired: 0 };
  const done = async () => undefined;
  const add = async (record: StoredRecord) => countWritten(written, record);
  return { written, add, flush: done, settle: done };
}

/** How much of the file was read, and the time left if it goes on like that. */
function left(share: number, elapsedMs: number): string {
  if (share === 0) return '';
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1000);
  const time = seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return ` (${Math.floor(100 * share)} %, ${time} left)`;
}

function exitCodeOf(
  { jobs, applications, refused }: ImportCounts,
  values: ImportFileOptions,
): number {
  if (jobs + applications + refused > 0) return refused === 0 ? 0 : 1;
  const from = values.file === '-' ? 'Standard input' : `The file ${values.file}`;
  const after = values.fromLine === 1 ? '' : ` from line ${values.fromLine} on`;
  throw new Error(`${from} contains no records${after}: nothing was imported.`);
}

function reportOf({ jobs, applications, expired, refused }: ImportCounts, done: string): string {
  const written = `${pluralize(jobs, 'job')} and ${pluralize(applications, 'application')} ${done}`;
  const verb = expired === 1 ? 'has' : 'have';
  const gone = expired === 0 ? '' : ` Of the applications, ${expired} ${verb} already expired.`;
  return `${written}, ${pluralize(refused, 'line')} refused.${gone}\n`;
}

/**
 * Opens the file that the operator named, or standard input for `-`. The share is that of the file which
 * was read, 0 if it is not known.
 * @throws WrongUsage if that fails.
 */
async function openSource(name: string, io: CommandIo) {
  if (name === '-') return { input: await decompressed(io.stdin), share: () => 0 };
  const handle = await openFile(pathOf(name, io), 'r');
  const { size } = await handle.stat();
  const file = handle.createReadStream();
  const share = () => (size > 0 ? file.bytesRead / size : 0);
  return { input: await decompressed(file), share };
}

/** What a stream holds, also if it is compressed: gzip is known by its first bytes (RFC 1952, section 2.3.1). */
async function decompressed(source: Readable): Promise<Readable> {
  await once(source, 'readable');
  const head: Buffer | null = source.read(2);
  if (head !== null) source.unshift(head);
  if (head?.[0] !== 0x1f || head[1] !== 0x8b) return source;
  // An error of either stream ends the other, and reaches the reader of the second.
  return pipeline(source, createGunzip(), () => undefined);
}
