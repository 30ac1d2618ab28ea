import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { isAddressable } from '../../functions/domain/addressable-identifier.ts';
import { applicationItem } from '../../functions/store/items.ts';
import { erasureKey } from '../../functions/store/keys.ts';
import { parseApplicationRecord } from '../../infra/data/records/records.ts';
import { reasonOf } from '../../infra/data/records/refusal.ts';
import type { FaultyProxy } from './proxy.ts';
import { applicationRecord } from './records.ts';
import type { TestTable } from './table.ts';

type Item = Record<string, unknown>;

const UNADDRESSABLE_JOBS = ['%23', '%', 'gh%3A1', 'a/b', '?', '.', '..'];
/** Job ids that look like keys or dot segments, need percent-encoding, or cannot be addressed. */
export const HOSTILE_JOBS = [
  '#1',
  'JOB',
  '4007#APPLICATION#c-1',
  'é求😀',
  '...1',
  'a b',
  ...UNADDRESSABLE_JOBS,
];

export const jobs = (count: number) => Array.from({ length: count }, (_, at) => `j-${at}`);

/** Unlike an import, does not look for an erasure of the candidate first. */
export async function apply(
  table: TestTable,
  { tenant = 'default', id = 'c-1' },
  to: readonly string[],
  members: Item = {},
): Promise<void> {
  const checkFile = () => undefined;
  for (const job_id of to) {
    const record = applicationRecord({ tenant, job_id, ...members, user_id: id });
    const parsed = parseApplicationRecord(record, { checkFile });
    const isStorable = isAddressable(job_id) && isAddressable(id);
    if (isStorable && 'faults' in parsed) throw new Error(`Refused: ${reasonOf(parsed)}`);
    // Earlier releases stored ids that are refused now.
    const earlier = applicationItem(tenant, job_id, id, { ...record, user_id: id });
    await table.put('faults' in parsed ? earlier : parsed.item);
  }
}

export async function storedIn({ client, name }: TestTable): Promise<Item[]> {
  const items: Item[] = [];
  const scan = { TableName: name, ConsistentRead: true };
  for await (const { Items: page = [] } of paginateScan({ client }, scan)) items.push(...page);
  return items.map(ordered).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

export const leftIn = async (table: TestTable) =>
  (await storedIn(table)).filter(({ sk }) => sk !== erasureKey('', '').sk);

const ordered = (item: Item) =>
  Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const keyOf = ({ pk, sk }: Item) => `${pk} ${sk}`;

export function through(proxy: FaultyProxy, { name }: TestTable, maxAttempts = 1) {
  const client = new DynamoDBClient({ endpoint: proxy.url, maxAttempts });
  return { client: DynamoDBDocumentClient.from(client), name };
}

export const listing = (...items: Readonly<Record<string, string>>[]) => ({
  status: 200,
  body: JSON.stringify({
    Count: items.length,
    Items: items.map((item) =>
      Object.fromEntries(Object.entries(item).map(([name, value]) => [name, { S: value }])),
    ),
  }),
});
