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
  candidateIndex,
  candidateKey,
  type Key,
  keyAttributes,
  parseKey,
} from '../../../functions/store/keys.ts';
import { scan, type Table } from '../../records/table.ts';

const { partitionKey, sortKey } = keyAttributes;
const indexKey = candidateIndex.partitionKey;

/** The maximum number of keys in a page of the index. */
const PAGE_KEYS = 100;

/** The message for a search that finds nothing. The operator may have mistyped the id. */
export const NONE_FOUND = 'No application was found. Check the tenant and the id.';

export interface Candidate {
  tenant: string;
  id: string;
}

/**
 * The place to search. The index is eventually consistent and has only items with the index's attribute. A scan reads
 * the whole table consistently.
 */
export type Search = 'index' | 'scan';

/** The key of an item, and whether the item is marked as removed. Only a scan finds removed items. */
export type Found = Key & { isRemoved: boolean };

/**
 * Returns the keys of all applications of a candidate, sorted. The result includes items with malformed keys if the
 * index lists them under the candidate, or if a scan finds the candidate's `user_id` in them. A search of the index
 * costs half a read unit for each 4 KB of keys. A scan costs one read unit for each 4 KB of the table.
 * @param signal stops the search after the current page.
 */
export async function findApplications(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
): Promise<Found[]> {
  const found: Found[] = [];
  for await (const { Items: items = [] } of pagesOf(table, candidate, search, signal)) {
    signal?.throwIfAborted();
    for (const { pk, sk, ...item } of items) {
      found.push({ pk, sk, isRemoved: item[revisionAttributes.removed] === true });
    }
  }
  return found.toSorted((one, other) => (one.pk < other.pk ? -1 : 1));
}

/** Reads an application consistently. Returns undefined if the application is gone, even if the index lists it. */
export async function readApplicationItem({ client, name }: Table, { pk, sk }: Key) {
  const request = { TableName: name, Key: { pk, sk }, ConsistentRead: true };
  const { Item: item } = await client.send(new GetCommand(request));
  return item && { ...item, pk, sk };
}

/** Returns the job in a key that names an application of the candidate; undefined for any other key. */
export function jobOf({ tenant, id }: Candidate, key: Key): string | undefined {
  const parts = parseKey(key);
  const isOwn = parts?.kind === 'application' && parts.tenant === tenant && parts.candidate === id;
  return isOwn ? parts.job : undefined;
}

/**
 * Returns whether an item that a search found belongs to the candidate. If the key does not name the candidate,
 * `user_id` decides. An item with a malformed key and no `user_id` belongs to the candidate. A job never belongs to the
 * candidate, nor does an item of another tenant.
 */
export function isOwn(candidate: Candidate, item: Item): boolean {
  if (jobOf(candidate, item) !== undefined) return true;
  const parts = parseKey(item);
  const { user_id: user } = item;
  if (parts === undefined) return typeof user !== 'string' || user === candidate.id;
  const isApplication = parts.kind === 'application' && parts.tenant === candidate.tenant;
  return isApplication && user === candidate.id;
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
      { client: table.client, pageSize: PAGE_KEYS },
      {
        TableName: table.name,
        IndexName: candidateIndex.name,
        KeyConditionExpression: '#candidate = :candidate',
        ...listed,
      },
    );
  }
  const input = {
    ProjectionExpression: `${partitionKey}, ${sortKey}, ${revisionAttributes.removed}`,
    FilterExpression:
      `(begins_with(${partitionKey}, :tenant) AND (${sortKey} = :sk OR user_id = :id))` +
      ' OR #candidate = :candidate',
    ExpressionAttributeNames: listed.ExpressionAttributeNames,
    ExpressionAttributeValues: {
      ...listed.ExpressionAttributeValues,
      ':sk': applicationKey(tenant, '', id).sk,
      ':id': id,
      ':tenant': applicationKeyPrefix(tenant).pk,
    },
  };
  return scan(table, input, signal);
}
