// `npm run candidate`: exports or erases all that is stored of a candidate.
import { jobOf } from '../../../functions/store/keys.ts';
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../../cli/command.ts';
import { confirm } from '../../cli/confirmation.ts';
import { explainFailure } from '../../cli/failure.ts';
import { OutputFile, pathOf } from '../../cli/files.ts';
import { counted, written } from '../../cli/output.ts';
import {
  checkTableOptions,
  MAX_ATTEMPTS,
  openTable,
  TABLE_USAGE,
  type Table,
  tableOptions,
} from '../../cli/table.ts';
import { type Erased, eraseCandidate } from './erase-candidate.ts';
import { anonymise, remove } from './erasure.ts';
import { exportCandidate } from './export-candidate.ts';
import { findApplications, type Search } from './find-applications.ts';

const usage = `Usage: npm run candidate -- export --tenant T --id C [--output FILE] [--scan] [TABLE]
       npm run candidate -- erase --tenant T --id C [--anonymise] [--yes] [--scan] [TABLE]
       TABLE is --data DIR or --table NAME [--region REGION]

export writes all applications of a candidate as one JSON document, to standard output or to a new FILE
that only its owner may read.

erase deletes them permanently, and searches again until there are none. It first shows what it found
and asks you to type the candidate's id. If it stops, because of a failure or Ctrl-C, the same command
finishes the rest. Its output is the record of the erasure: times, jobs, counts and how it ended, even
if it failed; the only personal data are the ids. It names each application before it erases it, and
erases nothing that it cannot record. If you keep the output, use npm run -s, which adds nothing to it.

  --tenant T       the tenant; "default" if the service has only one
  --id C           the candidate: "user_id" in the API's answer
  --output FILE    write the export to FILE, which must not exist
  --anonymise      keep the job, stage, score and day of each application under a random id
  --yes            do not ask for confirmation
  --scan           search the whole table instead of the index: slow, but certain to find applications
                   that were written a moment ago, or that lack the index's attribute
${TABLE_USAGE}
The exit code is 0 if all went well, 1 if not, 2 if the command line was wrong. How to answer a request
for erasure or access, and what is stored elsewhere: docs/runbooks/erase-candidate.md.
`;

/** The most jobs that are named before an erasure; the others are counted. */
const MOST_NAMED = 20;

const NONE_FOUND = 'No application was found. Check the tenant and the id.';

/** `npm run candidate`. */
export const command = { usage, run };

type Arguments = ReturnType<typeof readArguments>;

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  return values.action === 'export' ? write(values, io) : erase(values, io);
}

async function write(values: Arguments, io: CommandIo): Promise<number> {
  const { candidate, search, output } = values;
  using table = openTable(values, io, { maxAttempts: MAX_ATTEMPTS });
  const found = await exportCandidate(table, candidate, search).catch((error) => {
    throw new Error(`Nothing was exported. ${explainFailure(error, table.name)}`, { cause: error });
  });
  const count = found.applications.length;
  if (count === 0) throw new Error(`Nothing was exported. ${NONE_FOUND}`);
  const text = `${JSON.stringify(found, undefined, 2)}\n`;
  if (output === undefined) {
    await written(io.stdout, text);
  } else {
    await using file = await OutputFile.create(pathOf(output, io));
    await file.write(text);
  }
  io.stderr.write(`${counted(count, 'application')} exported.\n`);
  return 0;
}

/** Standard output is kept as the record of an erasure, so it also says that an erasure failed. */
async function erase(values: Arguments, { stdout, ...io }: CommandIo): Promise<number> {
  const log = (text: string) => written(stdout, `${new Date().toISOString()} ${text}\n`);
  const who = describe(values);
  try {
    using table = openTable(values, io, { maxAttempts: MAX_ATTEMPTS });
    if (!values.yes) await confirmErasure(values, table, io);
    const signal = io.interruption();
    table.stopOn(signal);
    await log(`${who}: ${reportOf(await eraseFrom(table, values, log, signal))}`);
    return 0;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'The cause is unknown.';
    await log(`${who}: ${why}`).catch(() => io.stderr.write('The record cannot be written.\n'));
    throw error;
  }
}

const describe = ({ candidate: { id, tenant } }: Arguments) =>
  `candidate ${quoted(id)} of tenant ${quoted(tenant)}`;

/** An id between quotes: it may hold anything but control characters. */
const quoted = (id: string) => JSON.stringify(id);

async function confirmErasure(
  values: Arguments,
  table: Table,
  io: Pick<CommandIo, 'stdin' | 'stderr'>,
): Promise<void> {
  const { candidate, search } = values;
  const found = await findApplications(table, candidate, search).catch((error) => {
    throw new Error(`Nothing was erased. ${explainFailure(error, table.name)}`, { cause: error });
  });
  const action = values.anonymise ? 'anonymise' : 'delete';
  const warning = `This will permanently ${action} all applications of ${describe(values)} in the table ${table.name}.`;
  await confirm(`${warning}\n${preview(found.map(jobOf))}`, candidate.id, io);
}

/** What an erasure would find: how many applications, and to which jobs. */
export function preview(jobs: readonly string[]): string {
  if (jobs.length === 0) return NONE_FOUND;
  const named = jobs.slice(0, MOST_NAMED).map(quoted).join(', ');
  const others = jobs.length > MOST_NAMED ? ` and ${jobs.length - MOST_NAMED} more` : '';
  return `Found: ${counted(jobs.length, 'application')}, to ${named}${others}.`;
}

function eraseFrom(
  table: Table,
  { candidate, search, ...values }: Arguments,
  log: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Erased> {
  return eraseCandidate({
    table,
    candidate,
    search,
    erasure: values.anonymise ? anonymise : remove,
    beforeErasure: (job) => log(`erasing the application to job ${quoted(job)}`),
    onErased: (job, outcome) => log(`${outcome} the application to job ${quoted(job)}`),
    signal,
  }).catch((error) => {
    const why = explainFailure(error, table.name);
    throw new Error(`The erasure is not complete: run the same command again. ${why}`, {
      cause: error,
    });
  });
}

/** The outcome of an erasure. A mistyped id must not read like one that was erased. */
function reportOf({ removed, anonymised }: Erased): string {
  if (removed + anonymised > 0) {
    return `${counted(removed, 'application')} removed, ${anonymised} anonymised, none left`;
  }
  return 'no application was found. Check the tenant and the id, unless an earlier run erased them';
}

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      tenant: { type: 'string' },
      id: { type: 'string' },
      output: { type: 'string' },
      anonymise: { type: 'boolean', default: false },
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
  if (action === 'export' && (values.anonymise || values.yes)) {
    throw new WrongUsage('--anonymise and --yes can only be used with erase.');
  }
  if (action === 'erase' && values.output !== undefined) {
    throw new WrongUsage('--output can only be used with export.');
  }
  checkTableOptions(values);
  const search: Search = values.scan ? 'scan' : 'index';
  return { ...values, action, candidate, search };
}

await runMain(import.meta, command);
