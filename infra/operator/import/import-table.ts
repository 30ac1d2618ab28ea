import { systemClock } from '../../../functions/platform/clock.ts';
import { keyAttributes, parseKey } from '../../../functions/store/keys.ts';
import { type ImportOptions, ImportStopped, importRecords } from '../../records/import-records.ts';
import type { Table } from '../../records/table.ts';
import { blockWriter, type LineRecord, type WriterOptions } from '../../records/write-block.ts';
import {
  type EraseOptions,
  removeErased,
  type StoredErasure,
} from '../candidate/erase-candidate.ts';
import { revisionOf } from '../candidate/record-erasure.ts';

type TableImportOptions = Omit<ImportOptions, 'write'> &
  WriterOptions &
  Pick<EraseOptions, 'limits' | 'pause' | 'beforeRemoval' | 'onRemoved' | 'onStay'>;

/**
 * After the last line, removes the stored applications that are older than an erasure among the records. An expired
 * erasure removes nothing: applications that were stored since then may have no revision.
 * @throws ImportStopped. Its `nextLine` is at most the first erasure's line, because an erasure is finished only by the
 *   removals at the end.
 */
export async function importIntoTable(table: Table, options: TableImportOptions): Promise<void> {
  const writeRecords = blockWriter(table, options);
  const { clock = systemClock, onRemark, limits } = options;
  const erasures = new Map<string, StoredErasure>();
  let firstLine: number | undefined;
  const write: typeof writeRecords = async (records, onDone) => {
    for (const record of records) {
      const { item, line } = record;
      const erasure = erasureOf(record);
      if (erasure === undefined) continue;
      // `<=`: the import stores a long-past `expires_at` as the present time.
      if (Number(item[keyAttributes.timeToLive]) * 1000 <= clock().date) {
        await onRemark?.(`line ${line}: this erasure has expired, and removes no application`);
        continue;
      }
      firstLine ??= line;
      const { revision = erasure.revision } = erasures.get(item.pk) ?? {};
      erasures.set(item.pk, { ...erasure, revision: Math.max(revision, erasure.revision) });
    }
    return writeRecords(records, onDone);
  };
  try {
    await importRecords({ ...options, write });
    if (erasures.size === 0) return;
    const seconds = limits.lateWriteMs / 1000;
    await onRemark?.(`waiting ${seconds} s for earlier live writes to end`);
    await removeErased([...erasures.values()], { ...options, table });
  } catch (error) {
    if (firstLine === undefined) throw error;
    const { cause, nextLine } =
      error instanceof ImportStopped ? error : { cause: error, nextLine: firstLine };
    throw new ImportStopped(cause, Math.min(firstLine, nextLine));
  }
}

function erasureOf({ item }: LineRecord): StoredErasure | undefined {
  const parts = parseKey(item);
  const revision = revisionOf(item);
  if (parts?.kind !== 'erasure' || revision === undefined) return undefined;
  return { candidate: { tenant: parts.tenant, id: parts.candidate }, revision };
}
