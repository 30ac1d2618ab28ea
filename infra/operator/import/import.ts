import { isDays, MAX_DAYS } from '../../records/expiry.ts';
import {
  type Counts,
  type ImportOptions,
  ImportStopped,
  importRecords,
  zeroCounts,
} from '../../records/import-records.ts';
import { dryWriter } from '../../records/written-lines.ts';
import {
  type EraseOptions,
  type SearchLimits,
  searchLimits,
} from '../candidate/erase-candidate.ts';
import { STAY_REASONS } from '../candidate/erasure-log.ts';
import { fileCheck, filesOptions, filesUsage } from '../cli/files-bucket.ts';
import { nameOfItem } from '../cli/item-name.ts';
import { createFile } from '../cli/operator-files.ts';
import { pluralize, quoted, showProgress } from '../cli/output.ts';
import {
  type Command,
  type CommandIo,
  readOptions,
  runMain,
  UsageError,
} from '../cli/run-command.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import { withTable } from '../cli/with-table.ts';
import { importIntoTable } from './import-table.ts';
import { openSource } from './source.ts';

const usage = `Usage: npm run import -- FILE [--from-line N] [--expire-after-days N]
                         [--keep-newer] [--rejects FILE] [--dry-run]
                         [--files-bucket BUCKET [--whole-bucket]]
                         [--data DIR | --table NAME [--region REGION]]

Writes the jobs and applications of FILE (- for standard input) to the table of the local service, or with --table to
a table in AWS. FILE has one JSON object on each line, and may be compressed with gzip. docs/data.md shows how to make
it from a spreadsheet or from another system's files, and what is refused; docs/record.schema.json has the members.

  {"type":"job","id":"4007","status":"draft"}
  {"type":"application","job_id":"4007", and the members of the API's response}

  --from-line N          skip the lines before line N
  --expire-after-days N  let each application without "expires_at" expire N days after "created_at"
  --keep-newer           replace nothing that is newer than the line; slower, with one request for each line
  --rejects FILE         write the refused lines to FILE, which must not exist; only its owner may read it
  --dry-run              check every line, and neither read nor write the table
${filesUsage(23)}${tableUsage(23)}
A line may name a "tenant", by default "default". An application may also have "expires_at", in seconds since 1970.
Members that may be null or [] in the API's response can be left out.

Every valid line is written. A line is refused if it
  - is not a JSON object in UTF-8, or is longer than 4 MiB
  - lacks a required member, or has an unknown member or an invalid value
  - names a file in S3 that the API would not give to the tenant
  - is too large for a DynamoDB item
The command prints the number of each refused line with up to five reasons. Correct the lines in the file of
--rejects, and import that file. If the first line shows that FILE is CSV, a spreadsheet or another kind of JSON, the
command writes nothing and says how to convert it. After 100 lines in a row that cannot be read, it stops: FILE is
probably another file.

A line replaces the stored application or job. A replaced job gets the next version, but no event is published: to
change a status with an event, call the API. With --keep-newer, a stored job stays, and so do an application with a
greater "revision" and a removal with the same or a greater one. A line without a "revision" then replaces only an
application without one.

Of two lines about the same application, the later one wins, or with --keep-newer the one with the greater "revision".
Of two about the same job, the later one wins, or with --keep-newer the first. The command names both lines, if it finds
them among the first two million that it writes.

An erasure wins for at least 30 days, with and without --keep-newer: an application of the candidate is then written
only if its "revision" is greater than the erasure's, and not ahead of the present time. If FILE has an erasure, the
command ends by removing the candidate's older applications, which takes at least ten seconds. It names them, and their
files, which stay in S3. An erasure whose "expires_at" has passed removes nothing.

Up to 200 lines are read and written at a time. After a failure or Ctrl-C, the command finishes the lines that it has
read and prints the line to continue from; after a failed write, lines from there on may be missing. A second Ctrl-C
ends it at once. If standard input stays open, each line is written within a second.

Exit codes:
  0  every line was written, or was older than what is stored
  1  a line was refused, two lines were about the same item, FILE has no records, or the import stopped
  2  the command line was invalid, and nothing was written
`;

export const importCommand = (limits: SearchLimits): Command => ({
  usage,
  run: (io) => run(io, limits),
});

export const command = importCommand(searchLimits);

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      ...filesOptions,
      'from-line': { type: 'string', default: '1' },
      'expire-after-days': { type: 'string' },
      'keep-newer': { type: 'boolean', default: false },
      rejects: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const { 'from-line': line, 'expire-after-days': days, 'dry-run': isDryRun, ...options } = values;
  const [file = '', ...others] = positionals;
  if (file === '' || others.length > 0) {
    throw new UsageError('Name exactly one FILE, or - for standard input.');
  }
  checkTableOptions(options);
  if (!/^[1-9]\d{0,14}$/.test(line)) {
    throw new UsageError('--from-line must be a line number from 1.');
  }
  const expireAfterDays = days === undefined ? undefined : Number(days);
  if (days !== undefined && !(/^\d{1,5}$/.test(days) && isDays(expireAfterDays))) {
    throw new UsageError(`--expire-after-days must be a whole number from 1 to ${MAX_DAYS}.`);
  }
  return { ...options, file, fromLine: Number(line), expireAfterDays, isDryRun };
}

async function run(io: CommandIo, limits: SearchLimits): Promise<undefined> {
  const values = readArguments(io);
  await using opened = new AsyncDisposableStack();
  const { input, share } = await openSource(values.file, io);
  opened.defer(() => void input.destroy());
  const rejects =
    values.rejects === undefined ? undefined : opened.use(await createFile(values.rejects, io));
  const { fromLine, expireAfterDays, isDryRun, 'keep-newer': keepsNewer } = values;
  const counts = zeroCounts();
  let removed = 0;
  const load = async (
    work: (
      options: Omit<ImportOptions, 'write'> & { onRemark: (text: string) => Promise<void> },
    ) => Promise<void>,
  ): Promise<undefined> => {
    const progress = showProgress(io.stderr, () => `${progressOf(counts)}${share()}`);
    const onRefused = async (line: number, reason: string, bytes: Buffer | undefined) => {
      const isLost = rejects !== undefined && bytes === undefined;
      const gap = isLost ? `, and therefore not in ${values.rejects}` : '';
      await progress.print(`line ${line}: ${reason}${gap}`);
      if (bytes) await rejects?.writeFile(Buffer.concat([bytes, Buffer.from('\n')]));
    };
    const reporting = { counts, onRefused, onRemark: progress.print };
    const reading = { input, fromLine, expireAfterDays, checkFile: fileCheck(values) };
    try {
      await work({ ...reading, ...reporting }).finally(() => progress.stop());
      io.stdout.write(reportOf(counts, removed, isDryRun));
    } catch (error) {
      if (!(error instanceof ImportStopped)) throw error;
      io.stdout.write(reportOf(counts, removed, isDryRun));
      io.stderr.write(`The import stopped: continue from line ${error.nextLine}.\n`);
      throw error.cause;
    }
    checkResult(counts, values);
    return undefined;
  };
  // Without `await`, `opened` would close the files before the import has ended.
  if (isDryRun) {
    const [write, signal] = [dryWriter({ keepsNewer }), io.abortOnSignal()];
    return await load((options) => importRecords({ ...options, write, signal }));
  }
  return await withTable(values, io, (table, signal) =>
    load((options) => {
      const { onRemark } = options;
      const removals: Pick<EraseOptions, 'beforeRemoval' | 'onRemoved' | 'onStay'> = {
        beforeRemoval: async (_, files) => {
          for (const file of files) {
            await onRemark(`${quoted(file)} is left in S3, without its application`);
          }
        },
        onRemoved: async (key) => {
          removed += 1;
          await onRemark(`removed: ${nameOfItem(key)}, older than the erasure`);
        },
        onStay: async (key, reason) => {
          if (reason === 'later') return;
          await onRemark(`left alone: ${nameOfItem(key)}, ${STAY_REASONS[reason]}`);
        },
      };
      return importIntoTable(table, { ...options, ...removals, keepsNewer, signal, limits });
    }),
  );
}

/** Does not count lines that were read but not yet written: they are lost if the process is killed. */
const progressOf = ({ jobs, applications, tombstones, refused }: Counts) =>
  `${pluralize(jobs + applications + tombstones, 'line')} written, ${refused} refused`;

function checkResult(counts: Counts, values: ReturnType<typeof readArguments>): void {
  const { jobs, applications, tombstones, older, repeated, refused } = counts;
  if (refused > 0) {
    throw new Error(
      values.rejects === undefined
        ? 'Correct the refused lines, and import them again. With --rejects FILE, they get a file of their own.'
        : `Correct the refused lines in ${values.rejects}, and import that file.`,
    );
  }
  if (repeated > 0) {
    throw new Error(
      'Check the lines about the same item, named above: only one of them is stored.',
    );
  }
  if (jobs + applications + tombstones + older > 0) return;
  const from = values.file === '-' ? 'Standard input' : `The file ${values.file}`;
  const after = values.fromLine === 1 ? '' : ` from line ${values.fromLine} on`;
  throw new Error(`${from} contains no records${after}: nothing was imported.`);
}

function reportOf(counted: Counts, removed: number, isDryRun: boolean): string {
  const { jobs, applications, expired, tombstones, older, repeated, refused } = counted;
  const done = isDryRun ? 'valid' : 'written';
  const counts = `${pluralize(jobs, 'job')} and ${pluralize(applications, 'application')}`;
  const guards = tombstones === 0 ? '' : ` and ${pluralize(tombstones, 'tombstone')}`;
  const kept = older === 0 ? '' : `, ${pluralize(older, 'line')} older than what is stored`;
  const lost =
    repeated === 0
      ? ''
      : `, ${pluralize(repeated, 'line')} left out because another line is about the same item`;
  const written = `${counts}${guards} ${done}${kept}${lost}`;
  const verb = expired === 1 ? 'has' : 'have';
  const gone = expired === 0 ? '' : ` Of the applications, ${expired} ${verb} already expired.`;
  const erased =
    removed === 0
      ? ''
      : ` ${pluralize(removed, 'application')} removed, older than the erasure of the candidate.`;
  const unread = isDryRun ? ' The table was not read.' : '';
  return `${written}, ${pluralize(refused, 'line')} refused.${gone}${erased}${unread}\n`;
}

await runMain(import.meta, command);
