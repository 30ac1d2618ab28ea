import {
  paginateQuery,
  paginateScan,
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
import { ReportableError } from '../../cli/failure.ts';
import type { Table } from '../../cli/table.ts';

const { partitionKey, sortKey } = attributes;

/** Keys asked for at a time. */
const PAGE = 100;

/** The candidate whose applications are meant. */
export interface Candidate {
  tenant: string;
  id: string;
}

/**
 * Where to search: in the index, which is eventually consistent and contains the items with the index's
 * attribute; or in the whole table, consistently, whatever attributes its items have.
 */
export type Search = 'index' | 'scan';

/** The table has no index, or is still building it. */
export class IndexUnavailable extends ReportableError {
  override readonly name = 'IndexUnavailable';
}

/**
 * Finds the keys of all applications of a candidate, to any job, in the order of the keys: that of the
 * index among jobs is not defined. The index costs half a read unit for each 4 KB of keys, a scan costs
 * one for each 4 KB of the table.
 * @param signal stops the search after a page
 * @throws IndexUnavailable if the table has no such index, or is still building it.
 */
export async function findApplications(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
): Promise<Key[]> {
  const keys: Key[] = [];
  try {
    for await (const { Items: items = [] } of pagesOf(table, candidate, search)) {
      signal?.throwIfAborted();
      for (const { pk, sk } of items) keys.push({ pk, sk });
    }
  } catch (error) {
    if (!isOfIndex(error)) throw error;
    throw new IndexUnavailable(
      `The table has no index ${candidateIndex.name}, or is still building it. Deploy this version ` +
        'and wait until the index is active, or search the whole table with --scan.',
      { cause: error },
    );
  }
  return keys.toSorted((one, other) => (one.pk < other.pk ? -1 : 1));
}

function pagesOf(
  { client, name }: Table,
  { tenant, id }: Candidate,
  search: Search,
): AsyncIterable<QueryCommandOutput | ScanCommandOutput> {
  const paging = { client, pageSize: PAGE };
  if (search === 'index') {
    return paginateQuery(paging, {
      TableName: name,
      IndexName: candidateIndex.name,
      KeyConditionExpression: '#candidate = :candidate',
      ExpressionAttributeNames: { '#candidate': candidateIndex.partitionKey },
      ExpressionAttributeValues: { ':candidate': candidateKey(tenant, id).candidate_pk },
    });
  }
  return paginateScan(
    { client },
    {
      TableName: name,
      ConsistentRead: true,
      ProjectionExpression: `${partitionKey}, ${sortKey}`,
      FilterExpression: `${sortKey} = :sk AND begins_with(${partitionKey}, :tenant)`,
      ExpressionAttributeValues: {
        ':sk': applicationKey(tenant, '', id).sk,
        ':tenant': applicationKeyPrefix(tenant).pk,
      },
    },
  );
}

/** Only the message says that an index is missing, or still being built. */
const isOfIndex = (error: unknown) =>
  error instanceof Error &&
  error.name === 'ValidationException' &&
  /specified index|backfilling/.test(error.message);
