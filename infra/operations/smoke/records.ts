import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { getApplication } from '../../../functions/contract/get-application.ts';
import type { Item } from '../../../functions/store/items.ts';
import { readRecord } from '../import/records.ts';

/** What the ids of everything that a smoke test makes begin with. */
const PREFIX = 'smoke-';
/** When DynamoDB removes what a smoke test that was killed has left, in seconds. */
const LIFETIME_S = 3600;
/** How long the table may take, in milliseconds. */
const TABLE_MS = 15_000;

/** Errors of the SDK before it sends anything. */
const UNSENT = ['CredentialsProviderError', 'TokenProviderError'];

/** The table behind an API. */
export interface ApiTable {
  client: DynamoDBClient;
  tableName: string;
}

/** A job and an application to it that exist for one smoke test. */
export interface Subject {
  tenant: string;
  job: string;
  application: Readonly<Record<string, unknown>> & { readonly user_id: string };
}

/** Ids that nobody else has, and an invented candidate with every field of the contract. */
export function newSubject(tenant: string): Subject {
  const { example } = getApplication.response;
  const user_id = `${PREFIX}${crypto.randomUUID()}`;
  const invented = { name: 'Smoke Test', email: 'smoke-test@example.com' };
  return {
    tenant,
    job: `${PREFIX}${crypto.randomUUID()}`,
    application: { ...example, user_id, ...invented },
  };
}

/** Writes the job, which is published and of version 1, and the application. */
export function makeRecords(table: ApiTable, subject: Subject): Promise<void> {
  return write(
    table,
    itemsOf(subject).map((Item) => ({ PutRequest: { Item } })),
  );
}

/** Whether what has failed was refused whole or never sent; else it may be done, and its answer lost. */
export function hasWrittenNothing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isRefused = '$fault' in error && error.$fault === 'client';
  return isRefused || UNSENT.includes(error.name) || error.message === 'Region is missing';
}

/** Removes both; neither has to be there. */
export function removeRecords(table: ApiTable, subject: Subject): Promise<void> {
  const keys = itemsOf(subject).map(({ pk, sk }) => ({ pk, sk }));
  return write(
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );
}

/** As the import makes them, and held to the same schemas. */
function itemsOf({ tenant, job, application }: Subject): Item[] {
  const expires_at = Math.floor(Date.now() / 1000) + LIFETIME_S;
  return [
    { type: 'job', tenant, id: job, status: 'published' },
    { type: 'application', tenant, job_id: job, ...application },
  ].map((record) => {
    const read = readRecord(Buffer.from(JSON.stringify(record)));
    if (read === undefined || 'reason' in read) {
      throw new Error(`The record of the smoke test is refused: ${read?.reason}.`);
    }
    return { ...read.item, expires_at };
  });
}

type Writes = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Record<string, string> } }[];

async function write({ client, tableName }: ApiTable, requests: Writes): Promise<void> {
  const documents = DynamoDBDocumentClient.from(client);
  const signal = { abortSignal: AbortSignal.timeout(TABLE_MS) };
  const command = new BatchWriteCommand({ RequestItems: { [tableName]: requests } });
  const { UnprocessedItems: left = {} } = await documents.send(command, signal);
  if (Object.keys(left).length > 0) throw new Error('The table is too busy: try again later.');
}
