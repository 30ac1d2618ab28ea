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
  jobOf,
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
 * Finds the keys of all applications of a candidate, to any job. The index costs half a read unit for
 * each 4 KB of keys, a scan costs one for each 4 KB of the table.
 * @throws IndexUnavailable if the table has no such index, or is still building it.
 */
export async function* findApplications(
  table: Table,
  candidate: Candidate,
  search: Search,
): AsyncGenerator<Key> {
  try {
    for await (const { Items: items = [] } of pagesOf(table, candidate, search)) {
      for (const { pk, sk } of items) yield { pk, sk };
    }
  } catch (error) {
    if (!isOfIndex(error)) throw error;
    throw new IndexUnavailable(
      `The table has no index ${candidateIndex.name}, or is still building it. Deploy this version ` +
        'and wait until the index is active, or search the whole table with --scan.',
      { cause: error },
    );
  }
}

/** The jobs that a candidate applied to, as far as one search finds them. */
export async function jobsOf(
  table: Table,
  candidate: Candidate,
  search: Search,
): Promise<string[]> {
  const jobs: string[] = [];
  for await (const key of findApplications(table, candidate, search)) jobs.push(jobOf(key));
  return jobs;
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
