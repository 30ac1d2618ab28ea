import {
  type DynamoDBDocumentClient,
  paginateQuery,
  paginateScan,
  type QueryCommandOutput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import {
  applicationKey,
  applicationKeyPrefix,
  candidateIndex,
  candidateKey,
  jobOf,
  type Key,
} from '../../../functions/store/keys.ts';

/** Keys asked for at a time. */
const PAGE = 100;

/** Where applications are stored. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/** Whose applications are meant. */
export interface Candidate {
  tenant: string;
  id: string;
}

/**
 * Where to look: in the index, which is eventually consistent and holds what has an index attribute;
 * or in the whole table, consistently, whatever its items have.
 */
export type Search = 'index' | 'scan';

/** The index cannot be asked. */
export class IndexUnavailable extends Error {
  override readonly name = 'IndexUnavailable';
}

/**
 * Finds the keys of all applications of a candidate, in whichever job. By the index that costs half a
 * read unit for each 4 KB of keys, by a scan one for each 4 KB of the table.
 * @throws IndexUnavailable where the table has no such index, or is still filling it.
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
      `The index ${candidateIndex.name} of the table does not exist, or is not filled yet: deploy ` +
        'this version and wait until the index is active, or look through the whole table with --scan.',
      { cause: error },
    );
  }
}

/** The jobs that a candidate has applied to, as far as a look finds them. */
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
      ProjectionExpression: 'pk, sk',
      FilterExpression: 'sk = :sk AND begins_with(pk, :tenant)',
      ExpressionAttributeValues: {
        ':sk': applicationKey(tenant, '', id).sk,
        ':tenant': applicationKeyPrefix(tenant).pk,
      },
    },
  );
}

/** DynamoDB tells a missing index, and one that is being filled, by the message alone. */
const isOfIndex = (error: unknown) =>
  error instanceof Error &&
  error.name === 'ValidationException' &&
  /specified index|backfilling/.test(error.message);
