import type { Key } from '../../../functions/store/keys.ts';
import { type Entry, idsOf } from '../../records/import-records.ts';
import type { RecordMembers } from '../../records/storable.ts';
import { nameOfItem } from '../cli/item-name.ts';
import { createFile } from '../cli/operator-files.ts';
import { escapeHidden, pluralize } from '../cli/output.ts';
import type { CommandIo } from '../cli/run-command.ts';

/** Of each outcome. */
const MOST_SHOWN = 10;

/** An application that the import has removed, with the S3 URIs of the files that it leaves. */
export interface Removal {
  key: Key;
  outcome: 'removed';
  because: 'erased';
  files: readonly string[];
}

/**
 * `add` writes the entry to the file, if one is named, and shows it, if it is among the first of its outcome.
 * Without a file, all removals are shown: nothing else would name them.
 * @throws UsageError if the file exists or cannot be created.
 */
export async function openReport(
  name: string | undefined,
  io: Pick<CommandIo, 'env'>,
  show: (text: string) => Promise<void>,
) {
  const file = name === undefined ? undefined : await createFile(name, io);
  const shown = new Map<string, number>();
  let hidden = 0;
  // Removals are added in parallel, and `writeFile` must not run twice at a time.
  let written = Promise.resolve();
  return {
    async add(entry: Entry | Removal): Promise<void> {
      const { outcome } = entry;
      const json = `${escapeHidden(JSON.stringify(membersOf(entry)))}\n`;
      written = written.then(() => file?.writeFile(json));
      await written;
      const count = (shown.get(outcome) ?? 0) + 1;
      shown.set(outcome, count);
      if (count <= MOST_SHOWN || (outcome === 'removed' && !file)) await show(textOf(entry));
      else hidden += 1;
    },
    /** Says where the entries are that were not shown; empty if there are none. */
    rest(): string {
      if (hidden === 0) return '';
      const where = file ? `in ${name}` : 'which --report FILE would name';
      return `and ${pluralize(hidden, 'other')}, ${where}\n`;
    },
    async [Symbol.asyncDispose]() {
      await file?.close();
    },
  };
}

const ITEMS: Readonly<Record<string, string>> = { job: 'job', erasure: 'candidate' };

const LEFT_OUT = {
  older: 'is older than what is stored',
  erased: 'is older than the erasure of its candidate',
  expired: 'has expired',
  without_revision:
    'has no revision, so nothing shows that it is newer than what is stored or than the erasure of its candidate',
  other_status: 'is left out: the job is stored with another status, which only --replace changes',
} as const;

function membersOf(entry: Entry | Removal): RecordMembers {
  if ('key' in entry) {
    const { key, ...rest } = entry;
    const ids = idsOf(key);
    return { type: 'application', ...(ids.tenant === undefined ? key : ids), ...rest };
  }
  const { line, ids, ...rest } = entry;
  return { line, ...ids, ...rest };
}

function textOf(entry: Entry | Removal): string {
  if (entry.outcome === 'removed')
    return `removed: ${nameOfItem(entry.key)}, older than the erasure`;
  const { line, ids, outcome, reason, first_line, is_stored } = entry;
  if (outcome === 'refused') return `line ${line}: ${reason}`;
  if (outcome === 'lowered') return `line ${line} ${reason}`;
  if (outcome === 'expired' && ids.type === 'erasure') {
    return `line ${line} is an erasure that has expired, and removes nothing`;
  }
  if (outcome !== 'repeated') return `line ${line} ${LEFT_OUT[outcome]}`;
  const known = is_stored ? ', and is stored' : ', and is left out';
  const end = is_stored === undefined ? '' : known;
  return `line ${line} is about the same ${ITEMS[`${ids.type}`] ?? 'application'} as line ${first_line}${end}`;
}
