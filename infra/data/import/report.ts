import type { Key } from '../../../functions/store/keys.ts';
import { createFile } from '../../command/operator-files.ts';
import { escapeHidden, listed, pluralize, quoted } from '../../command/output.ts';
import type { CommandIo } from '../../command/run-command.ts';
import type { RecordMembers } from '../records/storable.ts';
import { nameOfItem } from '../table/item-name.ts';
import { type Entry, idsOf } from './import-records.ts';

/** Per outcome. */
const MOST_SHOWN = 10;

/** About a stored application, not about a line. */
export interface StoredEntry {
  key: Key;
  /**
   * `missing`: FILE lacks it, but it is not removed. `kept`: stays after all, because it was written meanwhile.
   * `invalid_revision`: no write can replace it.
   */
  outcome: 'removed' | 'missing' | 'kept' | 'invalid_revision';
  because?: 'erased' | 'missing';
  /** S3 URIs of files that the removal leaves behind. */
  files?: readonly string[];
}

/**
 * `add` shows the first entries of each outcome, and writes all of them to the file, if one is named. Without a file,
 * it shows every removal: nothing else would name them.
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
  // Removals are added in parallel, but only one `writeFile` may run at a time.
  let written = Promise.resolve();
  return {
    async add(entry: Entry | StoredEntry): Promise<void> {
      const { outcome } = entry;
      if (file) {
        const json = `${escapeHidden(JSON.stringify(membersOf(entry)))}\n`;
        written = written.then(() => file.writeFile(json));
        await written;
      }
      const count = (shown.get(outcome) ?? 0) + 1;
      shown.set(outcome, count);
      if (count <= MOST_SHOWN || (outcome === 'removed' && !file)) await show(textOf(entry));
      else hidden += 1;
    },
    /** Says where to find the entries that were not shown; empty if all were. */
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

function membersOf(entry: Entry | StoredEntry): RecordMembers {
  if ('key' in entry) {
    const { key, ...rest } = entry;
    const ids = idsOf(key);
    return { type: 'application', ...(ids.tenant === undefined ? key : ids), ...rest };
  }
  const { line, ids, ...rest } = entry;
  return { line, ...ids, ...rest };
}

const textOf = (entry: Entry | StoredEntry) =>
  'key' in entry ? storedText(entry) : `line ${entry.line}${lineText(entry)}`;

function storedText({ key, outcome, because, files = [] }: StoredEntry): string {
  const name = nameOfItem(key);
  if (outcome === 'missing') return `missing from FILE: ${name}`;
  if (outcome === 'kept') return `kept after all, because it was written meanwhile: ${name}`;
  if (outcome === 'invalid_revision') {
    return `has an invalid revision, so nothing can replace it: ${name}`;
  }
  if (because === 'erased') return `removed: ${name}, older than the erasure`;
  return `removed: ${name}${files.map((file) => `; ${quoted(file)} is left in S3`).join('')}`;
}

const ITEMS: Readonly<Record<string, string>> = { job: 'job', erasure: 'candidate' };

function lineText({ outcome, ids, ...entry }: Entry): string {
  const { reason, first_line, is_stored, forgotten_on } = entry;
  switch (outcome) {
    case 'refused':
      return `: ${reason}`;
    case 'null':
      return ` has null in place of an invalid ${listed(Object.keys(entry.values ?? {}))}`;
    case 'lowered':
      return ` ${reason}`;
    case 'older':
      return ' is older than what is stored';
    case 'erased':
      return ` is older than the erasure of its candidate, which is stored until ${forgotten_on}`;
    case 'expired':
      if (ids.type === 'erasure') return ' is an erasure that has expired, and removes nothing';
      return is_stored === false ? ' has expired, and is left out' : ' has expired';
    case 'without_revision':
      return ' has no revision, so nothing shows that it is newer than what is stored or than the erasure of its candidate';
    case 'other_status':
      return ' is left out: the job is stored with another status, which only --replace changes';
    case 'repeated': {
      const known = is_stored ? ', and is stored' : ', and is left out';
      const item = ITEMS[String(ids.type)] ?? 'application';
      return ` is about the same ${item} as line ${first_line}${is_stored === undefined ? '' : known}`;
    }
  }
}
