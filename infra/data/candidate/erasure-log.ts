import type { Key } from '../../../functions/store/keys.ts';
import { confirm } from '../../command/confirmation.ts';
import { explain } from '../../command/failure.ts';
import { pluralize, quoted, writeFully } from '../../command/output.ts';
import type { CommandIo } from '../../command/run-command.ts';
import { nameOfItem } from '../table/item-name.ts';
import { withTable } from '../table/with-table.ts';
import { type CandidateOptions, fileCommands } from './candidate-files.ts';
import {
  completeErasures,
  eraseCandidate,
  type RemoveOptions,
  type SearchLimits,
  type SkipReason,
  skipped,
} from './erase-candidate.ts';
import { findApplications, jobOf, NONE_FOUND, type Search } from './find-applications.ts';
import { recordedErasure, type StoredErasure } from './start-erasure.ts';

/**
 * Writes the erasure log to standard output. The operator keeps it as evidence, so a failure is printed there too.
 * @param options `new` records another erasure instead of completing the recorded one.
 */
export async function eraseWithLog(
  options: CandidateOptions & { yes: boolean; new: boolean },
  { stdout, ...io }: CommandIo,
  limits: SearchLimits,
): Promise<undefined> {
  const { candidate, search } = options;
  let isRepetition = false;
  const files = new Set<string>();
  const counts = { removed: 0, malformed: 0, foreign: 0, newer: 0 };
  const log = (text: string) => writeFully(stdout, `${new Date().toISOString()} ${text}\n`);
  const who = `candidate ${quoted(candidate.id)} of tenant ${quoted(candidate.tenant)}`;
  const nameOf = (key: Key) => {
    const job = jobOf(candidate, key);
    return job === undefined ? `the ${nameOfItem(key)}` : `the application to job ${quoted(job)}`;
  };
  const heading = 'left in S3. These commands delete them, but not their older object versions:';
  const logEnd = (result: string) => {
    const advice = ": delete the candidate's files yourself";
    const commands = fileCommands(files, options, heading, (file) => `aws s3 rm ${file}`, advice);
    return log([`${who}: ${result}`, ...commands].join('\n'));
  };
  try {
    await withTable(options, io, async (table, signal) => {
      const recorded = options.new ? undefined : await recordedErasure(table, candidate);
      isRepetition = recorded !== undefined;
      if (!options.yes) {
        const all = await findApplications(table, candidate, search, signal);
        const names = all.filter(({ isRemoved }) => !isRemoved).map(nameOf);
        const count = pluralize(names.length, 'application');
        const found = names.length === 0 ? NONE_FOUND : `Found ${count}: ${names.join(', ')}.`;
        const which = recorded
          ? `This completes the erasure as of ${dateOf(recorded)}: it will permanently delete all applications that are not newer`
          : 'This will permanently delete all applications';
        const warning = `${which}, of ${who} in the table ${table.name}.`;
        await confirm(`${warning}\n${found}`, candidate.id, io);
      }
      const removal: RemoveOptions = {
        ...{ table, search, limits, signal },
        beforeRemoval: (key, named) => {
          for (const file of named) files.add(file);
          const list = named.length > 0 ? `; its files: ${named.map(quoted).join(', ')}` : '';
          return log(`erasing ${nameOf(key)}${list}`);
        },
        onRemoved: (key) => {
          counts.removed += 1;
          if (jobOf(candidate, key) === undefined) counts.malformed += 1;
          return log(`removed ${nameOf(key)}`);
        },
        onSkipped: (key, reason) => {
          counts[reason] += 1;
          return log(skipped(nameOf(key), reason));
        },
      };
      if (recorded === undefined) {
        const onRecorded = (revision: number) =>
          log(`recorded the erasure, ${recordOf({ candidate, revision })}`);
        return eraseCandidate({ ...removal, candidate, onRecorded });
      }
      await log(`completing the erasure that was recorded before, ${recordOf(recorded)}`);
      return completeErasures([recorded], removal);
    });
    await logEnd(resultOf(counts, search));
  } catch (error) {
    await logEnd(`not complete. ${explain(error)}`).catch(() =>
      io.stderr.write('The erasure log cannot be written.\n'),
    );
    throw error;
  }
  if (counts.malformed + counts.foreign > 0) {
    throw new Error('Check the items in the log that have malformed keys or name somebody else.');
  }
  if (isRepetition && counts.newer > 0) {
    throw new Error(
      'The applications in the log that are newer than the erasure are still stored. To erase them too, add --new.',
    );
  }
}

const dateOf = ({ revision }: StoredErasure) => new Date(revision).toISOString();

/** Includes the record to import after a restore, once `expires_at` has been added. */
const recordOf = (erasure: StoredErasure) => {
  const { candidate, revision } = erasure;
  const record = { type: 'erasure', tenant: candidate.tenant, user_id: candidate.id, revision };
  return `as of ${dateOf(erasure)}: ${quoted(record)}`;
};

/** Says first whether anything was removed: if not, the operator may have mistyped the id. */
function resultOf(counts: Record<'removed' | 'malformed' | SkipReason, number>, search: Search) {
  const { removed, malformed, foreign, newer } = counts;
  const isIndex = search === 'index';
  const rest = isIndex ? 'The index lists no others to remove.' : 'No others are left to remove.';
  return [
    ...(removed === 0
      ? [`${NONE_FOUND} An earlier run may have erased the applications.`]
      : [`${pluralize(removed, 'application')} removed. ${rest}`]),
    ...(isIndex ? ['--scan also finds applications that the index lacks.'] : []),
    ...(malformed > 0 ? [`Malformed keys: ${malformed}.`] : []),
    ...(foreign > 0 ? [`Skipped, of somebody else: ${foreign}.`] : []),
    ...(newer > 0 ? [`Skipped, newer than the erasure: ${newer}.`] : []),
  ].join(' ');
}
