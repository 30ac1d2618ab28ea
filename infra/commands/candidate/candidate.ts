// `npm run candidate`: exports or erases all that is stored of a candidate.
import { PRESIGNED_URL_MINUTES } from '../../../functions/domain/s3-uri.ts';
import type { Key } from '../../../functions/store/keys.ts';
import { WRITE_LIMIT_MS } from '../../writer/write-limit.ts';
import { confirm } from '../cli/confirmation.ts';
import { explain } from '../cli/failure.ts';
import { filesOptions, filesUsage } from '../cli/files-bucket.ts';
import { nameOfItem } from '../cli/items.ts';
import { createFile } from '../cli/operator-files.ts';
import {
  escapeHidden,
  jsonValue,
  pluralize,
  quoted,
  showProgress,
  writeFully,
} from '../cli/output.ts';
import {
  type Command,
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../cli/run-command.ts';
import { onTable } from '../cli/table.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import { fileCommands, filesOf } from './candidate-files.ts';
import { type Erased, eraseCandidate, type Left, type SearchLimits } from './erase-candidate.ts';
import { exportCandidate } from './export-candidate.ts';
import { type Candidate, findApplications, jobOf, type Search } from './find-applications.ts';

const NONE_FOUND = 'No application was found. Check the tenant and the id.';

const MALFORMED = 'its key does not name an application of the candidate';

const usage = `Usage: npm run candidate -- export --tenant T --id C [--output FILE] [--scan] [FILES] [TABLE]
       npm run candidate -- erase --tenant T --id C [--yes] [--scan] [FILES] [TABLE]
       FILES is --files-bucket BUCKET [--whole-bucket]
       TABLE is --data DIR or --table NAME [--region REGION]

  --tenant T             the tenant; "default" if the service has only one
  --id C                 the candidate: "user_id" in the API's response
  --output FILE          write the export to FILE, which must not exist
  --yes                  do not ask for confirmation
  --scan                 search the whole table instead of the index; the search is slow, but it also finds
                         applications that were written a moment ago or lack the index's attribute
${filesUsage(23)}${tableUsage(23)}
export writes all applications of a candidate as one JSON document to standard output, or to a new FILE that only
its owner may read. The document has the S3 URIs of the candidate's files. The command prints on standard error the
shell commands that make presigned URLs of the files.

erase deletes all applications of a candidate permanently, in this order:
  1. It shows the applications that it found, and asks you to type the candidate's id.
  2. It records the erasure for 30 days, so that older live writes store nothing of the candidate again.
  3. It removes the applications. Before each removal, it prints the application and its files.
  4. It waits until earlier live writes have ended.
  5. It searches and removes again until it finds nothing.
erase deletes no files. Its last lines are the shell commands that delete the files which the API would give to the
tenant. It only names other files.

Keep the standard output of erase as your proof of the erasure. It has times, jobs, counts and the result, also after
a failure. Its only personal data are ids and S3 URIs. With npm run -s, npm adds no lines. If the output cannot be
written, erase removes nothing more.

After a failure or Ctrl-C, erase finishes the requests under way and prints what is done. The same command then
finishes the rest.

Both actions include items with malformed keys, and name them. They leave out an item whose key or "user_id" names
somebody else, and only name the item.

Exit codes:
  0  every application was exported, or none is left
  1  the action failed, an export found nothing, or an item had a malformed key or named somebody else
  2  the command line was invalid, or --yes is missing without a terminal; nothing was changed

docs/runbooks/erase-candidate.md says how to respond to a request, and where else data is stored.
`;

/** `npm run candidate`, which searches and waits for so long. */
export const candidateCommand = (limits: SearchLimits): Command => ({
  usage,
  async run(io) {
    const values = readArguments(io);
    return values.action === 'export' ? write(values, io) : erase(values, io, limits);
  },
});

/** How long the last attempt of a write may be under way, in milliseconds. */
const LATE_MS = 5000;

export const searchLimits: SearchLimits = {
  pauseMs: 1000,
  idleSearches: 60,
  lateWriteMs: WRITE_LIMIT_MS + LATE_MS,
};

export const command = candidateCommand(searchLimits);

type Arguments = ReturnType<typeof readArguments>;

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      ...filesOptions,
      tenant: { type: 'string' },
      id: { type: 'string' },
      output: { type: 'string' },
      yes: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
    },
  });
  const [action = '', ...others] = positionals;
  if (!['erase', 'export'].includes(action) || others.length > 0) {
    throw new WrongUsage('Choose one action: export or erase.');
  }
  const candidate = {
    tenant: requireIdentifier('tenant', values.tenant),
    id: requireIdentifier('id', values.id),
  };
  if (action === 'export' && values.yes) {
    throw new WrongUsage('--yes can only be used with erase.');
  }
  if (action === 'erase' && values.output !== undefined) {
    throw new WrongUsage('--output can only be used with export.');
  }
  checkTableOptions(values);
  return { ...values, action, candidate };
}

const searchOf = ({ scan }: Arguments): Search => (scan ? 'scan' : 'index');

/** Exports a candidate, as the command line has it; returns the exit code. */
async function write(values: Arguments, io: CommandIo): Promise<number> {
  const { candidate, output } = values;
  const { document, malformed } = await onTable(values, io, (table, signal) =>
    exportCandidate(table, candidate, searchOf(values), signal),
  );
  const { applications } = document;
  const told = malformed.map((key) => `${nameOfItem(key)}: ${MALFORMED}\n`);
  io.stderr.write(told.join(''));
  const count = applications.length;
  if (count === 0) throw new Error(`Nothing was exported. ${NONE_FOUND}`);
  const text = `${escapeHidden(JSON.stringify(document, (_, value) => jsonValue(value), 2))}\n`;
  if (output === undefined) {
    await writeFully(io.stdout, text);
  } else {
    await using file = await createFile(output, io);
    await file.writeFile(text);
  }
  const files = new Set(applications.flatMap(filesOf));
  const minutes = PRESIGNED_URL_MINUTES;
  const heading = `in S3. Each command prints a URL that expires after ${minutes} minutes:`;
  const region = values.region === undefined ? '' : ` --region ${values.region}`;
  const commands = fileCommands(
    files,
    values,
    heading,
    (file) => `aws s3 presign ${file} --expires-in ${60 * minutes}${region}`,
  );
  io.stderr.write(`${[`${pluralize(count, 'application')} exported.`, ...commands].join('\n')}\n`);
  return malformed.length === 0 ? 0 : 1;
}

/**
 * Erases a candidate, as the command line has it; returns the exit code. Standard output is kept as the
 * record of the erasure, so it also says that it failed.
 */
async function erase(
  values: Arguments,
  { stdout, ...io }: CommandIo,
  limits: SearchLimits,
): Promise<number> {
  const { candidate } = values;
  const search = searchOf(values);
  const files = new Set<string>();
  let done = 0;
  const log = (text: string) => writeFully(stdout, `${new Date().toISOString()} ${text}\n`);
  const who = `candidate ${quoted(candidate.id)} of tenant ${quoted(candidate.tenant)}`;
  const heading = 'left in S3. These commands delete them, but not their older versions:';
  const end = (how: string) => {
    const commands = fileCommands(files, values, heading, (file) => `aws s3 rm ${file}`);
    return log([`${who}: ${how}`, ...commands].join('\n'));
  };
  try {
    const erased = await onTable(values, io, async (table, signal) => {
      if (!values.yes) {
        const all = await findApplications(table, candidate, search, signal);
        const found = all.filter(({ isRemoved }) => !isRemoved);
        const warning = `This will permanently delete all applications of ${who} in the table ${table.name}.`;
        await confirm(`${warning}\n${preview(candidate, found)}`, candidate.id, io);
      }
      const progress = showProgress(io.stderr, () => `${pluralize(done, 'application')} erased`);
      const erasing = eraseCandidate({
        ...{ table, candidate, search, limits, signal },
        onRecorded: (revision) =>
          log(`recorded the erasure, as of ${new Date(revision).toISOString()}`),
        beforeErasure: (key, named) => {
          for (const file of named) files.add(file);
          const remaining = named.length > 0 ? `; its files: ${named.map(quoted).join(', ')}` : '';
          return log(`erasing ${nameOf(candidate, key)}${remaining}`);
        },
        onRemoved: (key) => {
          done += 1;
          return log(`removed ${nameOf(candidate, key)}`);
        },
        onLeft: (key, why) => log(`left alone: ${nameOf(candidate, key)}, ${LEFT[why]}`),
      });
      return erasing.finally(() => progress.stop());
    });
    await end(reportOf(erased, search));
    return erased.malformed + erased.foreign === 0 ? 0 : 1;
  } catch (error) {
    await end(`not complete. ${explain(error)}`).catch(() =>
      io.stderr.write('The record cannot be written.\n'),
    );
    throw error;
  }
}

const LEFT: Record<Left, string> = {
  foreign: 'which the index lists under the candidate, but which names somebody else',
  later: 'which was written after the erasure',
};

/** What the record of an erasure calls an item. */
function nameOf(candidate: Candidate, key: Key): string {
  const job = jobOf(candidate, key);
  return job === undefined ? `the ${nameOfItem(key)}` : `the application to job ${quoted(job)}`;
}

/** What an erasure would find: how many applications, and to which jobs. */
function preview(candidate: Candidate, found: readonly Key[]): string {
  if (found.length === 0) return NONE_FOUND;
  const names = found.map((key) => {
    const job = jobOf(candidate, key);
    return job === undefined ? nameOfItem(key) : quoted(job);
  });
  return `Found: ${pluralize(found.length, 'application')}, to ${names.join(', ')}.`;
}

/** The outcome of an erasure. A mistyped id must not read like one that was erased. */
function reportOf(erased: Erased, search: Search): string {
  const { removed, unindexed, malformed, foreign, later } = erased;
  const others = [
    malformed > 0 ? `; the keys of ${malformed} were malformed` : '',
    foreign > 0 ? `; left alone ${pluralize(foreign, 'item')} of somebody else` : '',
    later > 0 ? `; left alone ${pluralize(later, 'application')} written after the erasure` : '',
  ].join('');
  if (removed === 0) {
    const other =
      search === 'index' ? ', and whether --scan finds what the index does not have' : '';
    return `no application was found. Unless an earlier run erased them, check the tenant and the id${other}${others}`;
  }
  const done = `${pluralize(removed, 'application')} removed`;
  if (search === 'index') return `${done}, none left in the index; --scan finds others${others}`;
  return `${done}, none left; the index did not have ${unindexed} of them${others}`;
}

await runMain(import.meta, command);
