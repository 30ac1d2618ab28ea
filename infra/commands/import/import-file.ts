import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CommandIo } from '../cli/command.ts';
import { createFile, openFile, pathOf } from '../cli/files.ts';
import { counted, showProgress } from '../cli/output.ts';
import { onTable } from '../cli/table.ts';
import { BatchWriter } from './batch-writer.ts';
import type { Arguments } from './command.ts';
import { dynamoDbJsonWriter } from './dynamodb-json.ts';
import { importRecords, type Progress, type RecordWriter, type Written } from './import-records.ts';

/** Lines of records that were written, and of others. */
type ImportCounts = Written & Progress;

/** Imports the file that the command line names; returns the exit code. */
export async function importFile(values: Arguments, io: CommandIo): Promise<number> {
  const { dynamoDbJson, isDryRun } = values;
  await using opened = new AsyncDisposableStack();
  const { input, share } = await openSource(values.file, io);
  opened.defer(() => void input.destroy());
  const newFile = async (name: string | undefined) =>
    name === undefined ? undefined : opened.use(await createFile(name, io));
  const items = await newFile(dynamoDbJson);
  const rejects = await newFile(values.rejects);
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
      await importRecords({ ...values, input, writer, signal, progress: reached, onRefused });
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
    if (items || isDryRun) {
      const done = items ? `written to ${dynamoDbJson}` : 'would be written';
      return await load(dynamoDbJsonWriter(items), io.interruption(), done);
    }
    return await onTable(values, io, (table, signal) =>
      load(new BatchWriter(table, signal), signal, 'written'),
    );
  } finally {
    progress.stop();
  }
}

/** How much of the file was read, and the time left if it goes on like that. */
function left(share: number, elapsedMs: number): string {
  if (share === 0) return '';
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1000);
  const time = seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return ` (${Math.floor(100 * share)} %, ${time} left)`;
}

function exitCodeOf({ jobs, applications, refused }: ImportCounts, values: Arguments): number {
  if (jobs + applications + refused > 0) return refused === 0 ? 0 : 1;
  const from = values.file === '-' ? 'Standard input' : `The file ${values.file}`;
  const after = values.fromLine === 1 ? '' : ` from line ${values.fromLine} on`;
  throw new Error(`${from} contains no records${after}: nothing was imported.`);
}

function reportOf({ jobs, applications, expired, refused }: ImportCounts, done: string): string {
  const written = `${counted(jobs, 'job')} and ${counted(applications, 'application')} ${done}`;
  const verb = expired === 1 ? 'has' : 'have';
  const gone = expired === 0 ? '' : ` Of the applications, ${expired} ${verb} already expired.`;
  return `${written}, ${counted(refused, 'line')} refused.${gone}\n`;
}

/**
 * Opens the file that the operator named, or standard input for `-`; decompresses it if its name ends with
 * `.gz`. The share is that of the file which was read, 0 if it is not known.
 * @throws WrongUsage if that fails.
 */
async function openSource(name: string, io: CommandIo) {
  if (name === '-') return { input: io.stdin, share: () => 0 };
  const path = pathOf(name, io);
  const handle = await openFile(path, 'r');
  const { size } = await handle.stat();
  const file = handle.createReadStream();
  // An error of either stream ends the other, and reaches the reader of the second.
  const input = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
  return { input, share: () => (size > 0 ? file.bytesRead / size : 0) };
}
