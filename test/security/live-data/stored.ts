import { Readable } from 'node:stream';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import { searchLimits } from '../../../infra/data/candidate/erase-candidate.ts';
import { lineOf } from '../../../infra/data/export/record-line.ts';
import { ImportStopped } from '../../../infra/data/import/import-records.ts';
import {
  type Hindrance,
  importState,
  zeroStateCounts,
} from '../../../infra/data/import/import-state.ts';
import { importIntoTable } from '../../../infra/data/import/import-table.ts';
import { scan, type Table } from '../../../infra/data/records/table.ts';

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

export interface How {
  pause: (ms: number) => Promise<unknown>;
  clock: () => number;
  replaces?: boolean;
  expireAfterDays?: number;
}

const nothing = async () => undefined;
const importing = (lines: readonly string[]) => ({
  input: Readable.from([Buffer.from(lines.join('\n'))]),
  beforeRemoval: nothing,
  onRemoved: nothing,
  onSkipped: nothing,
  limits: searchLimits,
});

/** @throws the cause if the import stops. */
export const importStateInto = (
  table: Table,
  lines: readonly string[],
  how: Omit<How, 'replaces'> & { completeAt: number; removeAtMost: number },
): Promise<Hindrance | undefined> =>
  importState(table, {
    ...importing(lines),
    found: zeroStateCounts(),
    onScanned: () => undefined,
    onStored: nothing,
    ...how,
  }).catch((error) => {
    throw error instanceof ImportStopped ? error.cause : error;
  });

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
    ...importing(lines),
    onEntry: ({ outcome, line }) => outcome === 'refused' && refused.add(line),
    ...how,
  }).catch(({ cause }) => {
    throw cause;
  });
  return refused;
}
