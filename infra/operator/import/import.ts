import type { Key } from '../../../functions/store/keys.ts';
import { isDays, MAX_DAYS } from '../../records/expiry.ts';
import { keyOf, type WriteBlock } from '../../records/import-block.ts';
import {
  type Counts,
  type Entry,
  ImportStopped,
  importRecords,
  zeroCounts,
} from '../../records/import-records.ts';
import {
  type SearchLimits,
  type SkipReason,
  searchLimits,
  skipped,
} from '../candidate/erase-candidate.ts';
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
import { openReport } from './report.ts';
import { openSource } from './source.ts';

const usage = `Usage: npm run import -- FILE [--from-line N] [--expire-after-days N]
                         [--replace] [--report FILE] [--rejects FILE] [--dry-run]
                         [--files-bucket BUCKET [--whole-bucket]]
                         [--data DIR | --table NAME [--region REGION]]

Writes the jobs and applications of FILE (- for standard input) to the table of the local service, or with --table to
a table in AWS. FILE has one JSON object on each line, and may be compressed with gzip. docs/data.md shows how to make
it from a spreadsheet or from another system's files, and what is refused; docs/record.schema.json has the members.

  {"type":"job","id":"4007","status":"draft"}
  {"type":"application","job_id":"4007", and the members of the API's response}

  --from-line N          skip the lines before line N
  --expire-after-days N  let each application without "expires_at" expire N days after "created_at"
  --replace              also overwrite newer data and existing jobs: for repairs
  --report FILE          write a JSON line to FILE for each record that is not stored as given, and for each removal;
                         FILE must not exist, and only its owner may read it
  --rejects FILE         write the refused lines to FILE, to correct them there; as for --report
  --dry-run              check every line, and neither read nor write the table
${filesUsage(23)}${tableUsage(23)}
A line may name a "tenant", by default "default". An application may also have "expires_at", in seconds since 1970.
Members that may be null or [] in the API's response can be left out.

A line is refused if it
  - is not a JSON object in UTF-8, or is longer than 4 MiB
  - lacks a required member, or has an unknown member or an invalid value
  - names a file in S3 that the API would not give to the tenant
  - has a "revision" more than a minute ahead of DynamoDB's time, in an application or a removal
  - is too large for a DynamoDB item
Correct the lines in the file of --rejects, and import that file. If the first line shows that FILE is CSV, a spreadsheet or another kind of JSON, the
command writes nothing and says how to convert it. After 100 lines in a row that cannot be read, it stops: FILE is
probably another file.

Of the stored application and the line, the one with the greater "revision" stays; a stored removal also stays if both
have the same. A line without a "revision" replaces only an application without one. Otherwise nothing shows that it is
newer: the command names the line, and leaves it out. A stored job stays, and is named if its status is another one.

With --replace, the line is written over whatever is stored. A replaced job gets the line's status and the next version,
but no event is published: to change a status with an event, call the API.

Of two lines about the same item, the same rules decide. The command names both, if it finds them among the first two
million that it writes.

The command prints counts, and for each of these outcomes the first ten lines; --report has all of them:
  refused            the line breaks a rule: up to five reasons
  older              what is stored is newer
  erased             the candidate was erased later
  expired            stored, but "expires_at" has passed
  without_revision   only something with a "revision" is stored
  other_status       the job is stored with another status
  repeated           an earlier line ("first_line") is about the same item; "is_stored" says whether this one replaced it
  removed            an erasure in FILE has removed the application; "files" are those that it leaves in S3

An erasure counts for at least 30 days, with --replace too: an application of the candidate is then written only
if its "revision" is greater than the erasure's. If FILE has an erasure, the command ends by removing the candidate's
applications that are not newer, which takes at least ten seconds. It names them, and their files, which stay in S3. An
erasure whose "revision" is more than a minute ahead counts as of a minute from now, and is named; one whose
"expires_at" has passed removes nothing.

Up to 200 lines are read and written at a time. After a failure or Ctrl-C, the command finishes the lines that it has
read and prints the line to continue from. Its progress names that line too, in case it is killed. A second Ctrl-C ends
it at once. If standard input stays open, each line is written within a second.

Exit codes:
  0  every line was written, is stored already, or was older than what is stored
  1  a line was refused or had no revision to compare, a job has another status, two lines were about the same item,
     FILE has no records, or the import stopped
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
      replace: { type: 'boolean', default: false },
      report: { type: 'string' },
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
    throw new UsageError('--from-line must be 1 or more.');
  }
  const expireAfterDays = days === undefined ? undefined : Number(days);
  if (days !== undefined && !(/^\d{1,5}$/.test(days) && isDays(expireAfterDays))) {
    throw new UsageError(`--expire-after-days must be a whole number from 1 to ${MAX_DAYS}.`);
  }
  return { ...options, file, fromLine: Number(line), expireAfterDays, isDryRun };
}

async function run(io: CommandIo, limits: SearchLimits): Promise<undefined> {
  const values = readArguments(io);
  const { fromLine, expireAfterDays, isDryRun, replace: replaces } = values;
  await using opened = new AsyncDisposableStack();
  const { input, share } = await openSource(values.file, io);
  opened.defer(() => void input.destroy());
  const rejects =
    values.rejects === undefined ? undefined : opened.use(await createFile(values.rejects, io));
  const counts = { ...zeroCounts(), removed: 0 };
  let nextLine = fromLine;
  const progress = showProgress(
    io.stderr,
    () => `${progressOf(counts)}${share()}. ${continueFrom(nextLine)}`,
  );
  opened.defer(() => progress.stop());
  const report = opened.use(await openReport(values.report, io, progress.print));
  const options = {
    ...{ input, fromLine, expireAfterDays, checkFile: fileCheck(values), counts },
    onProgress: (line: number) => {
      nextLine = line;
    },
    onRemark: progress.print,
    onEntry: async (entry: Entry, bytes?: Buffer) => {
      await report.add(entry);
      if (entry.outcome !== 'refused' || !rejects) return;
      if (bytes) await rejects.writeFile(Buffer.concat([bytes, Buffer.from('\n')]));
      else await progress.print(`line ${entry.line} is too long for ${values.rejects}`);
    },
  };
  const leftFiles = new Map<string, readonly string[]>();
  const removals = {
    // Before the removal: after it, nothing else names them.
    beforeRemoval: async (key: Key, files: readonly string[]) => {
      leftFiles.set(keyOf(key), files);
      for (const file of files) {
        await progress.print(`${quoted(file)} is left in S3, without its application`);
      }
    },
    onRemoved: async (key: Key) => {
      counts.removed += 1;
      const files = leftFiles.get(keyOf(key)) ?? [];
      leftFiles.delete(keyOf(key));
      await report.add({ key, outcome: 'removed', because: 'erased', files });
    },
    onSkipped: async (key: Key, reason: SkipReason) => {
      if (reason === 'newer') return;
      await progress.print(skipped(nameOfItem(key), reason));
    },
  };
  const stop = isDryRun
    ? await stopOf(importRecords({ ...options, write: checkOnly, signal: io.abortOnSignal() }))
    : await withTable(values, io, (table, signal) =>
        stopOf(importIntoTable(table, { ...options, ...removals, replaces, signal, limits })),
      );
  progress.stop();
  io.stderr.write(report.rest());
  io.stdout.write(summaryOf(counts, isDryRun));
  if (stop) {
    const hint = stop.nextLine > fromLine ? ` ${continueFrom(stop.nextLine)}` : '';
    io.stderr.write(`The import stopped.${hint}\n`);
    throw stop.cause;
  }
  checkResult(counts, values);
}

/** `withTable` would replace an error after Ctrl-C, and the line to continue from would be lost. */
const stopOf = (work: Promise<void>): Promise<ImportStopped | undefined> =>
  work.then(
    () => undefined,
    (error) => {
      if (error instanceof ImportStopped) return error;
      throw error;
    },
  );

const checkOnly: WriteBlock = async (records, onDone) => {
  for (const record of records) onDone(record, 'checked');
};

const continueFrom = (line: number) => `To continue, use --from-line ${line}.`;

const storedLines = ({ jobs, applications, removals, erasures }: Counts) =>
  jobs + applications + removals + erasures;

/** Does not count lines that were read but not yet written: they are lost if the process is killed. */
const progressOf = (counts: Counts) =>
  `${pluralize(storedLines(counts), 'line')} stored, ${counts.refused} refused`;

function checkResult(counts: Counts, values: ReturnType<typeof readArguments>): void {
  const { refused, unordered, otherStatus, repeated } = counts;
  if (refused > 0) {
    throw new Error(
      values.rejects === undefined
        ? 'Correct the refused lines, and import them again. With --rejects FILE, they get a file of their own.'
        : `Correct the refused lines in ${values.rejects}, and import that file.`,
    );
  }
  if (unordered > 0) {
    throw new Error(
      'Give the lines without a revision the time of their change. With --replace, they are stored as they are, unless their candidate was erased.',
    );
  }
  if (otherStatus > 0) {
    throw new Error("Set these jobs' statuses by the API, or import their lines with --replace.");
  }
  if (repeated > 0) {
    throw new Error(
      'Check the lines about the same item, named above: only one of them is stored.',
    );
  }
  if (Object.values(counts).some((count) => count > 0)) return;
  const from = values.file === '-' ? 'Standard input' : `The file ${values.file}`;
  const after = values.fromLine === 1 ? '' : ` from line ${values.fromLine} on`;
  throw new Error(`${from} contains no records${after}: nothing was imported.`);
}

const list = new Intl.ListFormat('en-GB');

function summaryOf(counts: Counts & { removed: number }, isDryRun: boolean): string {
  const { jobs, applications, removals, erasures, expired, removed, refused } = counts;
  const done = isDryRun ? 'valid' : 'stored';
  const some = (count: number, noun: string, what = '') =>
    count === 0 ? [] : [`${pluralize(count, noun)}${what}`];
  const items = [
    ...some(jobs, 'job'),
    ...some(applications, 'application'),
    ...some(removals, 'removal'),
    ...some(erasures, 'erasure'),
  ];
  const parts = [
    `${items.length > 0 ? list.format(items) : 'Nothing'} ${done}`,
    ...some(counts.older, 'line', ' older than what is stored'),
    ...some(counts.erased, 'line', ' older than the erasure of the candidate'),
    ...some(counts.unordered, 'line', ' without a revision left out'),
    ...some(counts.otherStatus, 'line', ' left out because the job has another status'),
    ...some(counts.repeated, 'line', ' about the same item as another line'),
    `${pluralize(refused, 'line')} refused.`,
  ];
  const has = expired === 1 ? 'has' : 'have';
  const sentences = [
    parts.join(', '),
    ...(expired === 0 ? [] : [`Of the applications, ${expired} ${has} already expired.`]),
    ...some(removed, 'application', ' removed, older than the erasure of the candidate.'),
    ...(isDryRun ? ['The table was not read.'] : []),
  ];
  return `${sentences.join(' ')}\n`;
}

await runMain(import.meta, command);
