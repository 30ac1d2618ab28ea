import { Readable } from 'node:stream';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import { lineOf } from '../../../infra/operator/export/record-line.ts';
import { importRecords } from '../../../infra/records/import-records.ts';
import { scan, type Table } from '../../../infra/records/table.ts';
import { blockWriter } from '../../../infra/records/write-block.ts';

const BATCH_ITEMS = 25;

/** Reads all items of the table. */
export async function itemsIn(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items: page = [] } of scan(table, {})) items.push(...(page as Item[]));
  return items;
}

/** Deletes items of the table, as DynamoDB does when they have expired. */
export async function deleteItems({ client, name }: Table, items: readonly Item[]): Promise<void> {
  const requests = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  for (let at = 0; at < requests.length; at += BATCH_ITEMS) {
    const RequestItems = { [name]: requests.slice(at, at + BATCH_ITEMS) };
    await client.send(new BatchWriteCommand({ RequestItems }));
  }
}

/** Returns the lines of an export. */
export const exportedFrom = async (table: Table) =>
  (await itemsIn(table)).flatMap((item) => lineOf(item)?.text ?? []);

/** Imports lines, none of which may be refused. If the import stops, throws the reason. */
export async function importInto(
  table: Table,
  lines: readonly string[],
  { keepsNewer, expireAfterDays }: { keepsNewer: boolean; expireAfterDays?: number },
): Promise<void> {
  const write = blockWriter(table, { keepsNewer });
  const input = Readable.from([Buffer.from(lines.join('\n'))]);
  const onRefused = (_: number, reason: string) => Promise.reject(new Error(reason));
  await importRecords({ input, write, onRefused, expireAfterDays }).catch(({ cause }) => {
    throw cause;
  });
}
