import { Readable } from 'node:stream';
import type { Columns } from '../../../../infra/commands/import/csv-columns.ts';
import { csvLines } from '../../../../infra/commands/import/csv-lines.ts';
import { importRecords, NONE_WRITTEN } from '../../../../infra/commands/import/import-records.ts';
import type { StoredRecord } from '../../../../infra/writer/records.ts';

/** What an import makes of a CSV file. */
export interface Outcome {
  /** The items, and the rows that were refused, by the number of the row. */
  items: Record<number, StoredRecord['item']>;
  refused: Record<number, string>;
  /** The message of the error that stopped the import. */
  error?: string;
}

/** Imports a CSV file in chunks of this size. */
export async function importCsv(bytes: Buffer, columns: Columns, chunk = 7): Promise<Outcome> {
  const items: Outcome['items'] = {};
  const refused: Outcome['refused'] = {};
  const pieces = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
    bytes.subarray(at * chunk, (at + 1) * chunk),
  );
  const writer = {
    written: NONE_WRITTEN,
    add: async ({ item }: StoredRecord, row: number) => {
      items[row] = item;
    },
    flush: async () => undefined,
  };
  const onRefused = (row: number, reason: string) => {
    refused[row] = reason;
  };
  const input = Readable.from(pieces);
  try {
    await importRecords({ input, split: csvLines(columns), writer, onRefused });
    return { items, refused };
  } catch (error) {
    return { items, refused, error: error instanceof Error ? error.message : String(error) };
  }
}
