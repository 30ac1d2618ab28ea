import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { getApplication } from '../../../functions/contract/get-application.ts';
import { applicationAttributes, type Item } from '../../../functions/store/items.ts';
import { ReportableError } from '../../cli/failure.ts';
import type { Table } from '../../cli/table.ts';
import { readRecord } from '../import/records.ts';

/** The beginning of all ids that a smoke test writes. */
const PREFIX = 'smoke-';
/** After how long DynamoDB may remove what a killed smoke test left, in seconds. */
const LIFETIME_S = 3600;
/** The time limit of a request to the table, in milliseconds. */
const TABLE_MS = 15_000;

/** Errors that the SDK throws before it sends anything. */
const UNSENT = ['CredentialsProviderError', 'TokenProviderError'];

/** A job and an application to it that exist for one smoke test. */
export interface TestRecords {
  tenant: string;
  job: string;
  application: Readonly<Record<string, unknown>> & { readonly user_id: string };
}

/** New random ids, and an invented candidate with every field of the contract. */
export function newTestRecords(tenant: string): TestRecords {
  const { example } = getApplication.response;
  const user_id = `${PREFIX}${crypto.randomUUID()}`;
  const invented = { name: 'Smoke Test', email: 'smoke-test@example.com' };
  return {
    tenant,
    job: `${PREFIX}${crypto.randomUUID()}`,
    application: { ...example, user_id, ...invented },
  };
}

/** Writes the job, which is published and has version 1, and the application. */
export function writeRecords(table: Table, records: TestRecords): Promise<void> {
  const requests = itemsOf(records).map((Item) => ({ PutRequest: { Item } }));
  return write(table, requests);
}

/** Whether a failed write is sure to have written nothing; otherwise only its answer may be lost. */
export function wroteNothing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isRefused = '$fault' in error && error.$fault === 'client';
  return isRefused || UNSENT.includes(error.name) || error.message === 'Region is missing';
}

/** Removes both; neither has to exist. */
export function removeRecords(table: Table, records: TestRecords): Promise<void> {
  const requests = itemsOf(records).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  return write(table, requests);
}

/** The items as the import makes them, checked by the same schemas. */
function itemsOf({ tenant, job, application }: TestRecords): Item[] {
  const expiry = Math.floor(Date.now() / 1000) + LIFETIME_S;
  return [
    { type: 'job', tenant, id: job, status: 'published' },
    { type: 'application', tenant, job_id: job, ...application },
  ].map((record) => {
    const read = readRecord(Buffer.from(JSON.stringify(record)));
    if (read === undefined || 'reason' in read) {
      throw new Error(`The smoke test's record is refused: ${read?.reason}.`);
    }
    return { ...read.item, [applicationAttributes.expiresAt]: expiry };
  });
}

type Writes = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Record<string, string> } }[];

async function write({ client, name }: Table, requests: Writes): Promise<void> {
  const signal = { abortSignal: AbortSignal.timeout(TABLE_MS) };
  const command = new BatchWriteCommand({ RequestItems: { [name]: requests } });
  const { UnprocessedItems: left = {} } = await client.send(command, signal);
  if (Object.keys(left).length > 0)
    throw new ReportableError('The table is too busy: try again later.');
}
