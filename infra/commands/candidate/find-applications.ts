import {
  GetCommand,
  paginateQuery,
  type QueryCommandOutput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import {
  applicationKey,
  applicationKeyPrefix,
  attributes,
  candidateIndex,
  candidateKey,
  type Key,
  parseKey,
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

/** The key of an application; whether the index has it, and whether it was removed, which only a scan tells. */
export type Found = Key & { isIndexed: boolean; isRemoved: boolean };

/**
 * Finds the keys of all applications of a candidate, to any job, in the order of the keys: that of the
 * index among jobs is not defined. It also finds items with malformed keys that the index lists under the
 * candidate. The index costs half a read unit for each 4 KB of keys, a scan costs one for each 4 KB of the table.
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
      const isRemoved = item[revisionAttributes.removed] === true;
      keys.push({ pk, sk, isIndexed: item[indexKey] !== undefined, isRemoved });
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

/** Returns the job to which the key is the candidate's application; undefined if it is any other key. */
export function jobOf({ tenant, id }: Candidate, key: Key): string | undefined {
  const parts = parseKey(key);
  const isOwn = parts?.kind === 'application' && parts.tenant === tenant && parts.candidate === id;
  return isOwn ? parts.job : undefined;
}

/**
 * Returns whether an item that was found is the candidate's. Items with malformed keys are. If the key is
 * of another candidate's application, `user_id` decides; a job, or an item of another tenant, never is.
 */
export function isOwn(candidate: Candidate, item: Item): boolean {
  const parts = parseKey(item);
  if (parts === undefined || jobOf(candidate, item) !== undefined) return true;
  const isApplication = parts.kind === 'application' && parts.tenant === candidate.tenant;
  return isApplication && item.user_id === candidate.id;
}

function pagesOf(
  table: Table,
  { tenant, id }: Candidate,
  search: Search,
  signal?: AbortSignal,
): AsyncIterable<QueryCommandOutput | ScanCommandOutput> {
  const listed = {
    ExpressionAttributeNames: { '#candidate': indexKey },
    ExpressionAttributeValues: { ':candidate': candidateKey(tenant, id)[indexKey] },
  };
  if (search === 'index') {
    return paginateQuery(
      { client: table.client, pageSize: PAGE },
      {
        TableName: table.name,
        IndexName: candidateIndex.name,
        KeyConditionExpression: '#candidate = :candidate',
        ...listed,
      },
    );
  }
  const input = {
    ProjectionExpression: `${partitionKey}, ${sortKey}, #candidate, ${revisionAttributes.removed}`,
    FilterExpression: `(${sortKey} = :sk AND begins_with(${partitionKey}, :tenant)) OR #candidate = :candidate`,
    ExpressionAttributeNames: listed.ExpressionAttributeNames,
    ExpressionAttributeValues: {
      ...listed.ExpressionAttributeValues,
      ':sk': applicationKey(tenant, '', id).sk,
      ':tenant': applicationKeyPrefix(tenant).pk,
    },
  };
  return scan(table, input, signal);
}
