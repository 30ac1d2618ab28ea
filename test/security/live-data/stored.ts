import { Readable } from 'node:stream';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import { searchLimits } from '../../../infra/operator/candidate/erase-candidate.ts';
import { lineOf } from '../../../infra/operator/export/record-line.ts';
import { importIntoTable } from '../../../infra/operator/import/import-table.ts';
import { scan, type Table } from '../../../infra/records/table.ts';

const BATCH_ITEMS = 25;

export async function itemsIn(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items: page = [] } of scan(table, {})) items.push(...(page as Item[]));
  return items;
}

export async function deleteItems({ client, name }: Table, items: readonly Item[]): Promise<void> {
  const requests = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  for (let at = 0; at < requests.length; at += BATCH_ITEMS) {
    const RequestItems = { [name]: requests.slice(at, at + BATCH_ITEMS) };
    await client.send(new BatchWriteCommand({ RequestItems }));
  }
}

export const exportedFrom = async (table: Table) =>
  (await itemsIn(table)).flatMap((item) => lineOf(item)?.text ?? []);

interface How {
  pause: (ms: number) => Promise<unknown>;
  clock: () => number;
  replaces?: boolean;
  expireAfterDays?: number;
}

/**
 * @returns the numbers of the refused lines.
 * @throws the cause if the import stops.
 */
export async function importInto(
  table: Table,
  lines: readonly string[],
  how: How,
): Promise<ReadonlySet<number>> {
  const refused = new Set<number>();
  await importIntoTable(table, {
    input: Readable.from([Buffer.from(lines.join('\n'))]),
    onEntry: ({ outcome, line }) => outcome === 'refused' && refused.add(line),
    beforeRemoval: async () => undefined,
    onRemoved: async () => undefined,
    onSkipped: async () => undefined,
    limits: searchLimits,
    ...how,
  }).catch(({ cause }) => {
    throw cause;
  });
  return refused;
}
