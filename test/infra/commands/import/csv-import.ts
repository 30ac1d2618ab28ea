import { Readable } from 'node:stream';
import type { Columns } from '../../../../infra/commands/import/csv-columns.ts';
import { csvLines } from '../../../../infra/commands/import/csv-lines.ts';
import { importRecords, NONE_WRITTEN } from '../../../../infra/commands/import/import-records.ts';
import type { StoredRecord } from '../../../../infra/writer/records.ts';

/** The result of the import of a CSV file. */
interface Outcome {
  /** The items, by the number of their row. */
  items: Record<number, StoredRecord['item']>;
  /** The reasons of the refused rows, by the number of the row. */
  refused: Record<number, string>;
  /** The message of the error that stopped the import. */
  error?: string;
}

/** A chunk size that splits characters and line ends, in bytes. */
const CHUNK_BYTES = 7;

/** Imports a CSV file in chunks, without a table. */
export async function importCsv(bytes: Buffer, columns: Columns): Promise<Outcome> {
  const items: Outcome['items'] = {};
  const refused: Outcome['refused'] = {};
  const pieces = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, at) =>
    bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
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
