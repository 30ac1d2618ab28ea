import { jobOf } from '../../../functions/store/keys.ts';
import type { CommandIo } from '../cli/command.ts';
import { confirm } from '../cli/confirmation.ts';
import { explain } from '../cli/failure.ts';
import { createFile } from '../cli/files.ts';
import { pluralize, showProgress, writeFully } from '../cli/output.ts';
import { onTable } from '../cli/table.ts';
import { type Erased, eraseCandidate, type SearchLimits } from './erase-candidate.ts';
import { anonymise, remove } from './erasure.ts';
import { exportCandidate } from './export-candidate.ts';
import { type CommandsOptions, deleteCommands, filesOf, presignCommands } from './files.ts';
import { type Candidate, findApplications, type Search } from './find-applications.ts';

/** The most jobs that are named before an erasure; the others are counted. */
const MOST_NAMED = 20;
const NONE_FOUND = 'No application was found. Check the tenant and the id.';

export interface CandidateOptions extends CommandsOptions {
  candidate: Candidate;
  output?: string | undefined;
  anonymise: boolean;
  /** Whether not to ask. */
  yes: boolean;
  scan: boolean;
}

const searchOf = ({ scan }: CandidateOptions): Search => (scan ? 'scan' : 'index');

/** Exports a candidate, as the command line has it; returns the exit code. */
export async function write(values: CandidateOptions, io: CommandIo): Promise<number> {
  const { candidate, output } = values;
  const found = await onTable(values, io, (table, signal) =>
    exportCandidate(table, candidate, searchOf(values), signal),
  );
  const count = found.applications.length;
  if (count === 0) throw new Error(`Nothing was exported. ${NONE_FOUND}`);
  const text = `${JSON.stringify(found, undefined, 2)}\n`;
  if (output === undefined) {
    await writeFully(io.stdout, text);
  } else {
    await using file = await createFile(output, io);
    await file.writeFile(text);
  }
  const commands = presignCommands(new Set(found.applications.flatMap(filesOf)), values);
  io.stderr.write(`${[`${pluralize(count, 'application')} exported.`, ...commands].join('\n')}\n`);
  return 0;
}

/**
 * Erases a candidate, as the command line has it; returns the exit code. Standard output is kept as the
 * record of the erasure, so it also says that it failed.
 */
export async function erase(
  values: CandidateOptions,
  { stdout, ...io }: CommandIo,
  limits: SearchLimits,
): Promise<number> {
  const { candidate } = values;
  const search = searchOf(values);
  const files = new Set<string>();
  let done = 0;
  const log = (text: string) => writeFully(stdout, `${new Date().toISOString()} ${text}\n`);
  const who = `candidate ${quoted(candidate.id)} of tenant ${quoted(candidate.tenant)}`;
  const end = (how: string) => log([`${who}: ${how}`, ...deleteCommands(files, values)].join('\n'));
  try {
    const erased = await onTable(values, io, async (table, signal) => {
      if (!values.yes) {
        const jobs = (await findApplications(table, candidate, search, signal)).map(jobOf);
        const action = values.anonymise ? 'anonymise' : 'delete';
        const warning = `This will permanently ${action} all applications of ${who} in the table ${table.name}.`;
        await confirm(`${warning}\n${preview(jobs)}`, candidate.id, io);
      }
      const progress = showProgress(io.stderr, () => `${pluralize(done, 'application')} erased`);
      const erasing = eraseCandidate({
        ...{ table, candidate, search, limits, signal },
        erasure: values.anonymise ? anonymise : remove,
        beforeErasure: (job, named) => {
          for (const file of named) files.add(file);
          const remaining = named.length > 0 ? `; its files: ${named.map(quoted).join(', ')}` : '';
          return log(`erasing the application to job ${quoted(job)}${remaining}`);
        },
        onErased: (job, outcome) => {
          done += 1;
          return log(`${outcome} the application to job ${quoted(job)}`);
        },
      });
      return erasing.finally(() => progress.stop());
    });
    await end(reportOf(erased, search));
    return 0;
  } catch (error) {
    await end(`not complete. ${explain(error)}`).catch(() =>
      io.stderr.write('The record cannot be written.\n'),
    );
    throw error;
  }
}

/** An id between quotes: it may hold anything but control characters. */
const quoted = (id: string) => JSON.stringify(id);

/** What an erasure would find: how many applications, and to which jobs. */
function preview(jobs: readonly string[]): string {
  if (jobs.length === 0) return NONE_FOUND;
  const named = jobs.slice(0, MOST_NAMED).map(quoted).join(', ');
  const others = jobs.length > MOST_NAMED ? ` and ${jobs.length - MOST_NAMED} more` : '';
  return `Found: ${pluralize(jobs.length, 'application')}, to ${named}${others}.`;
}

/** The outcome of an erasure. A mistyped id must not read like one that was erased. */
function reportOf({ removed, anonymised, unindexed }: Erased, search: Search): string {
  if (removed + anonymised === 0) {
    const other =
      search === 'index' ? ', and whether --scan finds what the index does not have' : '';
    return `no application was found. Unless an earlier run erased them, check the tenant and the id${other}`;
  }
  const done = `${pluralize(removed, 'application')} removed, ${anonymised} anonymised`;
  if (search === 'index') return `${done}, none left in the index; --scan finds others`;
  return `${done}, none left; the index did not have ${unindexed} of them`;
}
