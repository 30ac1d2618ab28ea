import { parseKey } from '../../../functions/store/keys.ts';
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
  Pick<EraseOptions, 'limits' | 'pause' | 'beforeRemoval'>;

/**
 * Imports records into a table. After the last line, removes what the erasures among the records end, wherever it stands.
 * @returns the number of applications that were removed.
 * @throws ImportStopped. An erasure is finished when the applications that it ends are removed.
 */
export async function importIntoTable(table: Table, options: TableImportOptions): Promise<number> {
  const writeRecords = blockWriter(table, options);
  const erasures: StoredErasure[] = [];
  let firstLine: number | undefined;
  const write: typeof writeRecords = (records, onDone) => {
    for (const record of records) {
      const erasure = erasureOf(record);
      if (erasure) erasures.push(erasure);
      if (erasure) firstLine ??= record.line;
    }
    return writeRecords(records, onDone);
  };
  try {
    await importRecords({ ...options, write });
    if (erasures.length > 0) await options.onRemark?.('Waiting for earlier live writes to end.');
    return await removeErased(erasures, { ...options, table });
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
