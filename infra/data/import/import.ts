import { timestampOf } from '../../../functions/domain/timestamp.ts';
import type { Key } from '../../../functions/store/keys.ts';
import { createFile } from '../../command/operator-files.ts';
import { listed, pluralize, quoted, showProgress } from '../../command/output.ts';
import {
  type Command,
  type CommandIo,
  readOptions,
  runMain,
  UsageError,
} from '../../command/run-command.ts';
import {
  type SearchLimits,
  type SkipReason,
  searchLimits,
  skipped,
} from '../candidate/erase-candidate.ts';
import { isDays, MAX_DAYS } from '../records/expiry.ts';
import type { Table } from '../records/table.ts';
import { fileCheck, filesOptions, filesUsage } from '../table/files-bucket.ts';
import { nameOfItem } from '../table/item-name.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../table/table-options.ts';
import { withTable } from '../table/with-table.ts';
import { keyOf, type WriteBlock } from './import-block.ts';
import {
  type Counts,
  type Entry,
  ImportStopped,
  importRecords,
  zeroCounts,
} from './import-records.ts';
import { type Hindrance, importState, type StateCounts, zeroStateCounts } from './import-state.ts';
import { importIntoTable } from './import-table.ts';
import { openReport } from './report.ts';
import { openSource } from './source.ts';

const usage = `Usage: npm run import -- FILE [--from-line N] [--expire-after-days N]
                         [--replace | --complete-at TIME [--remove-at-most N]]
                         [--null-invalid] [--report FILE] [--rejects FILE] [--dry-run]
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
  --complete-at TIME     for tenants whose only source is FILE: FILE holds every application that they had at TIME
  --remove-at-most N     remove the applications that FILE lacks, unless there are more than N
  --null-invalid         store null for an invalid value that may be null in the API's response, such as a telephone
                         number, and report it, instead of refusing its line
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
Correct the lines in the file of --rejects, and import that file (not with --complete-at: correct FILE, and import all
of it). If the first line shows that FILE is CSV, a spreadsheet or another kind of JSON, the command writes nothing and
says how to convert it. After 100 lines in a row that cannot be read, it stops: FILE is probably another file.

Of the stored application and the line, the one with the greater "revision" stays; a stored removal also stays if both
have the same. A line without a "revision" replaces only an application without one. Otherwise nothing shows that it is
newer: the command names the line, and leaves it out. A stored job stays, and is named if its status is another one.

With --replace, the line is written over whatever is stored. A replaced job gets the line's status, and if that is
another one, the next version, but no event is published: to change a status with an event, call the API.

Of two lines about the same item, the same rules decide. The command names both, if it finds them among the first two
million that it writes.

The command prints counts, and for each of these outcomes the first ten lines; --report has all of them:
  refused            the line breaks a rule: up to five reasons
  older              what is stored is newer
  erased             the candidate was erased later, and the erasure is stored until "forgotten_on"
  expired            stored although "expires_at" has passed; left out if "is_stored" is false
  without_revision   only something with a "revision" is stored
  other_status       the job is stored with another status
  repeated           an earlier line ("first_line") is about the same item; "is_stored" says whether this one replaced it
  null               null is stored for invalid "values" (with --null-invalid)
  lowered            the revision of the erasure was too far ahead
  removed            "because" an erasure in FILE has "erased" it, or FILE lacks it; "files" are those left in S3
  missing            FILE lacks the stored application, which is not removed
  kept               the application named before as removed was written meanwhile, and stays
  invalid_revision   nothing can replace the stored application: correct its revision

--complete-at is for tenants whose only source is FILE, which holds all their applications: put parts together first.
TIME is when the download began, such as 2026-11-23T01:30:00Z, at most 30 days ago. The command makes the table like
FILE, and changes nothing if it runs again:
  - A line that equals what is stored writes nothing. Any other line is stored with TIME less a minute as its revision,
    whatever its own is: over what is older, never over what is newer.
  - What is older and not in FILE was removed at its source. The command counts and names it, and with --remove-at-most
    removes it: all of it, or nothing if there is more than N. That concerns only tenants of which FILE has a
    valid application. A refused line keeps its application. A line whose ids cannot be read, a failure, and a FILE
    without valid applications remove nothing. Removals and erasures are refused: import them without --complete-at.
  - An application of an erased candidate is stored only if its "created_at" is later than the erasure. The others are
    named in every run, with the day until which the erasure is stored: erase them at the source too.
  - An expired application is not stored again. With --expire-after-days, that holds for all that are that old.
It reads the whole table once, and needs FILE as a file, without --from-line: after a failure, run it again.

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
  1  a line was refused or had no revision to compare, a job has another status (not with --complete-at), two lines
     were about the same item, an application that FILE lacks was not removed, FILE has no records, or the import
     stopped
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
      'from-line': { type: 'string' },
      'expire-after-days': { type: 'string' },
      replace: { type: 'boolean', default: false },
      'complete-at': { type: 'string' },
      'remove-at-most': { type: 'string' },
      'null-invalid': { type: 'boolean', default: false },
      report: { type: 'string' },
      rejects: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  const { 'from-line': line = '1', 'expire-after-days': days, 'dry-run': isDryRun } = values;
  const [file = '', ...others] = positionals;
  if (file === '' || others.length > 0) {
    throw new UsageError('Name exactly one FILE, or - for standard input.');
  }
  checkTableOptions(values);
  if (!/^[1-9]\d{0,14}$/.test(line)) {
    throw new UsageError('--from-line must be 1 or more.');
  }
  const expireAfterDays = days === undefined ? undefined : Number(days);
  if (days !== undefined && !(/^\d{1,5}$/.test(days) && isDays(expireAfterDays))) {
    throw new UsageError(`--expire-after-days must be a whole number from 1 to ${MAX_DAYS}.`);
  }
  const { completeAt, removeAtMost } = readStateArguments(values, file);
  return {
    ...{ ...values, file, fromLine: Number(line), expireAfterDays, isDryRun },
    ...{ completeAt, removeAtMost },
  };
}

function readStateArguments(values: Readonly<Record<string, unknown>>, file: string) {
  const { 'complete-at': time, 'remove-at-most': most } = values;
  if (time === undefined) {
    if (most === undefined) return {};
    throw new UsageError('--remove-at-most can only be used with --complete-at.');
  }
  const other = ['replace', 'from-line'].find(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  if (other !== undefined) throw new UsageError(`--complete-at cannot be used with --${other}.`);
  if (file === '-') {
    throw new UsageError(
      '--complete-at needs a file: standard input may end before all of it is read.',
    );
  }
  const completeAt = Date.parse(timestampOf(String(time)) ?? '');
  if (Number.isNaN(completeAt)) {
    throw new UsageError(
      '--complete-at must be a time with its offset from UTC, such as 2026-11-23T01:30:00Z.',
    );
  }
  if (most !== undefined && !/^\d{1,9}$/.test(String(most))) {
    throw new UsageError('--remove-at-most must be a whole number, 0 or more.');
  }
  return { completeAt, removeAtMost: most === undefined ? undefined : Number(most) };
}

async function run(io: CommandIo, limits: SearchLimits): Promise<undefined> {
  const values = readArguments(io);
  const { fromLine, expireAfterDays, isDryRun, completeAt, replace: replaces } = values;
  await using opened = new AsyncDisposableStack();
  const { input, isFile, share } = await openSource(values.file, io);
  opened.defer(() => void input.destroy());
  if (completeAt !== undefined && !isFile) {
    throw new UsageError('--complete-at needs a file: a pipe may end before all of it is read.');
  }
  const rejects =
    values.rejects === undefined ? undefined : opened.use(await createFile(values.rejects, io));
  const counts = { ...zeroCounts(), removed: 0 };
  let nextLine = fromLine;
  let scanned = 0;
  const progress = showProgress(io.stderr, () => {
    const done = `${progressOf(counts)}${share()}.`;
    if (completeAt === undefined) return `${done} ${continueFrom(nextLine)}`;
    return `${pluralize(scanned, 'application')} read from the table, ${done}`;
  });
  opened.defer(() => progress.stop());
  const report = opened.use(await openReport(values.report, io, progress.print));
  const options = {
    ...{ input, fromLine, expireAfterDays, checkFile: fileCheck(values), counts },
    nullInvalid: values['null-invalid'],
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
    // Called before the removal: afterwards, nothing else names the files.
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
  const found = zeroStateCounts();
  const load = async (table: Table, signal: AbortSignal): Promise<Hindrance | undefined> => {
    const writing = { ...options, ...removals, limits, signal };
    if (completeAt === undefined) {
      await importIntoTable(table, { ...writing, replaces });
      return undefined;
    }
    const onScanned = (applications: number) => {
      scanned = applications;
    };
    const { removeAtMost } = values;
    const state = { completeAt, removeAtMost, found, onScanned, onStored: report.add };
    return importState(table, { ...writing, ...state });
  };
  const check = async (): Promise<undefined> =>
    void (await importRecords({ ...options, write: checkOnly, signal: io.abortOnSignal() }));
  const { hindrance, stop } = isDryRun
    ? await endOf(check())
    : await withTable(values, io, (table, signal) => endOf(load(table, signal)));
  progress.stop();
  io.stderr.write(report.rest());
  io.stdout.write(summaryOf({ ...counts, found }, isDryRun));
  if (stop) {
    const hint =
      completeAt === undefined
        ? stop.nextLine > fromLine && continueFrom(stop.nextLine)
        : `${found.removed === 0 ? 'Nothing that FILE lacks was removed. ' : ''}Run it again.`;
    io.stderr.write(`${['The import stopped.', hint].filter(Boolean).join(' ')}\n`);
    throw stop.cause;
  }
  checkResult(counts, found, hindrance, values);
}

/**
 * Returns `ImportStopped` instead of throwing it: after Ctrl-C, `withTable` would replace it, and the line to continue
 * from would be lost.
 */
const endOf = (
  work: Promise<Hindrance | undefined>,
): Promise<{ hindrance?: Hindrance | undefined; stop?: ImportStopped }> =>
  work.then(
    (hindrance) => ({ hindrance }),
    (error) => {
      if (error instanceof ImportStopped) return { stop: error };
      throw error;
    },
  );

const checkOnly: WriteBlock = async (records, onDone) => {
  for (const record of records) onDone(record, 'checked');
};

const continueFrom = (line: number) => `To continue, use --from-line ${line}.`;

const storedLines = ({ jobs, applications, removals, erasures }: Counts) =>
  jobs + applications + removals + erasures;

/** Leaves out lines that were read but not yet written: they are lost if the process is killed. */
const progressOf = (counts: Counts) =>
  `${pluralize(storedLines(counts), 'line')} stored, ${counts.refused} refused`;

function checkResult(
  counts: Counts,
  found: StateCounts,
  hindrance: Hindrance | undefined,
  values: ReturnType<typeof readArguments>,
): void {
  const { refused, unordered, otherStatus, repeated } = counts;
  const { rejects, completeAt, removeAtMost } = values;
  if (!Object.values(counts).some((count) => count > 0)) {
    const from = values.file === '-' ? 'Standard input' : `The file ${values.file}`;
    const after = values.fromLine === 1 ? '' : ` from line ${values.fromLine} on`;
    throw new Error(`${from} contains no records${after}: nothing was imported.`);
  }
  const missing = `${pluralize(found.missing, 'application')} that FILE lacks`;
  const hindrances: Readonly<Record<Hindrance, string>> = {
    'no applications': 'FILE has no application, so nothing was removed.',
    unreadable: `${missing} may stand in lines whose ids cannot be read, so nothing was removed.`,
    limit: `FILE lacks ${pluralize(found.missing, 'stored application')}, more than --remove-at-most ${removeAtMost} allows, so nothing was removed. Check that FILE is complete.`,
    'no limit': `FILE lacks ${pluralize(found.missing, 'stored application')}: to remove them, use --remove-at-most N.`,
  };
  const advice = [
    refused > 0 &&
      completeAt !== undefined &&
      'Correct the refused lines at their source or in FILE, and import all of FILE again.',
    refused > 0 &&
      completeAt === undefined &&
      (rejects === undefined
        ? 'Correct the refused lines, and import them again. With --rejects FILE, they get a file of their own.'
        : `Correct the refused lines in ${rejects}, and import that file.`),
    unordered > 0 &&
      'Give the lines without a revision the time of their change. With --replace, they are stored as they are, unless their candidate was erased.',
    otherStatus > 0 &&
      completeAt === undefined &&
      "Set these jobs' statuses by the API, or import their lines with --replace.",
    repeated > 0 && 'Check the lines about the same item, named above: only one of them is stored.',
    found.invalidRevision > 0 &&
      'Correct the applications with an invalid revision: import their lines with --replace.',
    hindrance && hindrances[hindrance],
  ].filter((text) => typeof text === 'string');
  if (advice.length > 0) throw new Error(advice.join('\n'));
}

function summaryOf(
  counts: Counts & { removed: number; found: StateCounts },
  isDryRun: boolean,
): string {
  const { jobs, applications, removals, erasures, expired, removed, refused, found } = counts;
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
    `${items.length > 0 ? listed(items) : 'Nothing'} ${done}`,
    ...some(counts.unchanged, 'application', ' unchanged'),
    ...some(counts.older, 'line', ' older than what is stored'),
    ...some(counts.erased, 'line', ' older than the erasure of the candidate'),
    ...some(counts.leftExpired, 'line', ' about an expired application left out'),
    ...some(counts.unordered, 'line', ' without a revision left out'),
    ...some(counts.otherStatus, 'line', ' left out because the job has another status'),
    ...some(counts.repeated, 'line', ' about the same item as another line'),
    `${pluralize(refused, 'line')} refused.`,
  ];
  const has = expired === 1 ? 'has' : 'have';
  const sentences = [
    parts.join(', '),
    ...(expired === 0 ? [] : [`Of the applications, ${expired} ${has} already expired.`]),
    ...some(counts.nulled, 'application', ' with null for an invalid value.'),
    ...some(removed, 'application', ' removed, older than the erasure of the candidate.'),
    ...some(found.removed, 'application', ' removed, because FILE lacks them.'),
    ...some(found.missing, 'application', ' not removed, although FILE lacks them.'),
    ...(isDryRun ? ['The table was not read.'] : []),
  ];
  return `${sentences.join(' ')}\n`;
}

await runMain(import.meta, command);
