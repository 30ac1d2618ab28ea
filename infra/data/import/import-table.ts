import { parseKey } from '../../../functions/store/keys.ts';
import { completeErasures, type RemoveOptions } from '../candidate/erase-candidate.ts';
import { revisionOf, type StoredErasure } from '../candidate/start-erasure.ts';
import { startDatabaseClock } from '../records/database-time.ts';
import type { Table } from '../records/table.ts';
import {
  type ImportBlockOptions,
  importBlock,
  type LineRecord,
  type WriteBlock,
} from './import-block.ts';
import { hasExpired, type ImportOptions, ImportStopped, importRecords } from './import-records.ts';

export interface TableImportOptions
  extends Omit<ImportOptions, 'write' | 'clock'>,
    ImportBlockOptions,
    Omit<RemoveOptions, 'table' | 'search'> {
  /** Wraps `write`, to choose which records of a block are written. */
  writerOf?: (write: WriteBlock) => WriteBlock;
}

/**
 * Uses DynamoDB's time. After the last line, removes applications that the records' erasures forbid. Expired erasures
 * do not count: applications stored since then may have no revision.
 * @throws ImportStopped. Its `nextLine` is at most the first erasure's line: only the removals at the end complete an
 *   erasure.
 */
export async function importIntoTable(table: Table, options: TableImportOptions): Promise<void> {
  const clock = options.clock ?? (await startDatabaseClock(table));
  const { onProgress, writerOf = (written) => written } = options;
  const writeRecords = writerOf(importBlock(table, { ...options, clock }));
  const erasures = new Map<string, StoredErasure>();
  let firstErasure = Number.POSITIVE_INFINITY;
  const write: WriteBlock = async (records, onDone) => {
    for (const record of records) {
      const { item, line } = record;
      const erasure = erasureOf(record);
      if (erasure === undefined || hasExpired(record, clock())) continue;
      firstErasure = Math.min(firstErasure, line);
      const { revision = erasure.revision } = erasures.get(item.pk) ?? {};
      erasures.set(item.pk, { ...erasure, revision: Math.max(revision, erasure.revision) });
    }
    return writeRecords(records, onDone);
  };
  try {
    await importRecords({
      ...options,
      clock,
      write,
      onProgress: (nextLine) => onProgress?.(Math.min(nextLine, firstErasure)),
    });
    await completeErasures([...erasures.values()], { ...options, table, search: 'index' });
  } catch (error) {
    const { cause, nextLine } =
      error instanceof ImportStopped ? error : { cause: error, nextLine: firstErasure };
    if (nextLine === Number.POSITIVE_INFINITY) throw error;
    throw new ImportStopped(cause, Math.min(firstErasure, nextLine));
  }
}

function erasureOf({ item }: LineRecord): StoredErasure | undefined {
  const parts = parseKey(item);
  const revision = revisionOf(item);
  if (parts?.kind !== 'erasure' || revision === undefined) return undefined;
  return { candidate: { tenant: parts.tenant, id: parts.candidate }, revision };
}
