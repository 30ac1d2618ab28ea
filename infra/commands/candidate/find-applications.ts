import {
  GetCommand,
  paginateQuery,
  type QueryCommandOutput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import {
  applicationKey,
  applicationKeyPrefix,
  attributes,
  candidateIndex,
  candidateKey,
  type Key,
} from '../../../functions/store/keys.ts';
import { scan, type Table } from '../cli/table.ts';

const { partitionKey, sortKey } = attributes;
const indexKey = candidateIndex.partitionKey;

/** Keys asked for at a time. */
const PAGE = 100;

export interface Candidate {
  tenant: string;
  id: string;
}

/**
 * Where to search: in the index, which is eventually consistent and contains the items with the index's
 * attribute; or in the whole table, consistently, whatever attributes its items have.
 */
export type Search = 'index' | 'scan';

/** The key of an application, and whether the index has it. */
export type Found = Key & { isIndexed: boolean };

/**
 * Finds the keys of all applications of a candidate, to any job, in the order of the keys: that of the
 * index among jobs is not defined. The index costs half a read unit for each 4 KB of keys, a scan costs
 * one for each 4 KB of the table.
 * @param signal stops the search after a page
 */
export async function findApplications(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
): Promise<Found[]> {
  const keys: Found[] = [];
  for await (const { Items: items = [] } of pagesOf(table, candidate, search, signal)) {
    signal?.throwIfAborted();
    for (const { pk, sk, ...item } of items) {
      keys.push({ pk, sk, isIndexed: item[indexKey] !== undefined });
    }
  }
  return keys.toSorted((one, other) => (one.pk < other.pk ? -1 : 1));
}

/** Reads an application consistently; undefined if it is gone, though the index may still list it. */
export async function readApplication({ client, name }: Table, { pk, sk }: Key) {
  const request = { TableName: name, Key: { pk, sk }, ConsistentRead: true };
  const { Item: item } = await client.send(new GetCommand(request));
  return item && { ...item, pk, sk };
}

function pagesOf(
  table: Table,
  { tenant, id }: Candidate,
  search: Search,
  signal?: AbortSignal,
): AsyncIterable<QueryCommandOutput | ScanCommandOutput> {
  if (search === 'index') {
    return paginateQuery(
      { client: table.client, pageSize: PAGE },
      {
        TableName: table.name,
        IndexName: candidateIndex.name,
        KeyConditionExpression: '#candidate = :candidate',
        ExpressionAttributeNames: { '#candidate': indexKey },
        ExpressionAttributeValues: { ':candidate': candidateKey(tenant, id)[indexKey] },
      },
    );
  }
  const input = {
    ProjectionExpression: `${partitionKey}, ${sortKey}, ${indexKey}`,
    FilterExpression: `${sortKey} = :sk AND begins_with(${partitionKey}, :tenant)`,
    ExpressionAttributeValues: {
      ':sk': applicationKey(tenant, '', id).sk,
      ':tenant': applicationKeyPrefix(tenant).pk,
    },
  };
  return scan(table, input, signal);
}
