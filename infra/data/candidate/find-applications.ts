import { paginateQuery, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
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
import { scan, type Table } from '../records/table.ts';

const { partitionKey, sortKey } = keyAttributes;
const indexKey = candidateIndex.partitionKey;

const PAGE_KEYS = 100;

export const NONE_FOUND = 'No application was found. Check the tenant and the id.';

export interface Candidate {
  tenant: string;
  id: string;
}

export type Search = 'index' | 'scan';

/** `isRemoved` is always false in a search of the index, which contains only keys. */
export type Found = Key & { isRemoved: boolean };

/**
 * Sorted by partition key. Goes by the index's attribute, so it finds items with malformed keys too. A scan also finds
 * items under the tenant's prefix that have the candidate's sort key or `user_id`.
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

export function jobOf({ tenant, id }: Candidate, key: Key): string | undefined {
  const parts = parseKey(key);
  const isOwn = parts?.kind === 'application' && parts.tenant === tenant && parts.candidate === id;
  return isOwn ? parts.job : undefined;
}

/**
 * Whether a found item is the candidate's, by its key or else its `user_id`. With a malformed key and no `user_id`, it
 * counts as theirs. A job or another tenant's item never does.
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
): AsyncIterable<QueryCommandOutput | { Items: Item[] }> {
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
