import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { isApplication } from '#validators';
import { applicationNotFound, storedDataInvalid, unavailable } from '../contract/problem.ts';
import { Application } from '../domain/application.ts';
import { project } from '../domain/projection.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { faultsOf, fileAttributes, revisionAttributes } from './items.ts';
import { applicationKey, attributes } from './keys.ts';
import { presignIfS3 } from './presign.ts';
import { withRetries } from './retries.ts';

/** The ids that identify an application. */
interface ApplicationIds {
  tenant: string;
  job: string;
  candidate: string;
}

/**
 * Reads a candidate's application to a job with one eventually consistent GetItem, which costs half a read unit for
 * each 4 KB. An application that has expired (`expires_at`) is treated as missing, because DynamoDB may take days to
 * delete the item. An application that a live write has removed is treated as missing too.
 * @throws Problem `application_not_found` if the application is missing; `unavailable` if there is no complete response
 *   in time; `stored_data_invalid` if the item does not match the contract.
 */
export async function readApplication(
  { client, environment, awsNow, clock, timer }: Dependencies,
  { tenant, job, candidate }: ApplicationIds,
  signal: AbortSignal,
): Promise<Application> {
  const input = {
    TableName: environment.tableName,
    Key: applicationKey(tenant, job, candidate),
    // Ask DynamoDB to return `ConsumedCapacity` in every response. If a response has `ConsumedCapacity` but no `Item`,
    // the item does not exist. If a response has no `ConsumedCapacity`, the response is incomplete.
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const send = () => client.send(new GetCommand(input), { abortSignal: signal });
  const result = await withRetries(send, signal, timer);
  if (!result.isSuccess) throw result.problem;
  const { Item: item, ConsumedCapacity: capacity } = result.output;
  if (capacity === undefined) throw unavailable('database');
  if (item === undefined || isRemoved(item) || isExpired(item, clock().date)) {
    throw applicationNotFound();
  }
  const files: Record<string, unknown> = {};
  for (const field of fileAttributes) {
    files[field] = await presignIfS3(field, item[field], tenant, environment, awsNow);
  }
  const application = project(Application, { ...item, ...files });
  if (isApplication(application)) return application;
  throw storedDataInvalid('application', faultsOf(isApplication));
}

type Stored = Readonly<Record<string, unknown>>;

/** Returns whether the item is a tombstone. A live write stores a tombstone in place of a removed application. */
const isRemoved = (item: Stored) => item[revisionAttributes.removed] === true;

/** Returns whether the item has expired. Ignores a time to live that is not a number, as DynamoDB does. */
function isExpired({ [attributes.timeToLive]: timeToLive }: Stored, now: number): boolean {
  return typeof timeToLive === 'number' && timeToLive <= now / 1000;
}
