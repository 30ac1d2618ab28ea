import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isApplication } from '#validators';
import { applicationNotFound, storedDataInvalid, unavailable } from '../contract/problem.ts';
import { Application } from '../domain/application.ts';
import { ownValue } from '../domain/own-value.ts';
import { pick } from '../domain/pick.ts';
import { LongNumber } from '../domain/platform-json.ts';
import { repair } from '../domain/repair.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { describeFaults, fileAttributes, revisionAttributes, unmarshal } from './items.ts';
import { applicationKey, keyAttributes } from './keys.ts';
import { resolveFileUrl } from './presign.ts';
import { withRetries } from './retries.ts';

interface ApplicationIds {
  tenant: string;
  job: string;
  candidate: string;
}

/**
 * Sends one eventually consistent GetItem: half a read unit for each 4 KB. Expired and removed applications count as
 * missing: DynamoDB may keep an expired item for days.
 * @throws Problem `application_not_found`; `unavailable` if the failure is temporary or time is up;
 *   `stored_data_invalid` if the item breaks the contract; otherwise the SDK's error.
 */
export async function readApplication(
  { client, environment, awsNow, clock, timer }: Dependencies,
  { tenant, job, candidate }: ApplicationIds,
  signal: AbortSignal,
): Promise<{ application: Application; repairedFields: number }> {
  const input = {
    TableName: environment.tableName,
    Key: marshall(applicationKey(tenant, job, candidate)),
    // Tells a missing item from an incomplete response, which has no `ConsumedCapacity`.
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const send = () => client.send(new GetItemCommand(input), { abortSignal: signal });
  const result = await withRetries(send, signal, timer);
  if (!result.isSuccess) throw result.problem;
  const { Item: attributes, ConsumedCapacity: capacity } = result.output;
  if (capacity === undefined) throw unavailable('database');
  const item = attributes && unmarshal(attributes);
  if (item === undefined || isRemoved(item) || isExpired(item, clock().date)) {
    throw applicationNotFound();
  }
  const files: Record<string, unknown> = {};
  for (const field of fileAttributes) {
    files[field] = await resolveFileUrl(field, ownValue(item, field), tenant, environment, awsNow);
  }
  let losses = 0;
  const stored = pick(Application, { ...item, ...files }, () => {
    losses += 1;
  });
  const { value: application, repaired } = isApplication(stored)
    ? { value: stored, repaired: [] }
    : repair(Application, stored, isApplication.errors);
  if (!isApplication(application)) {
    throw storedDataInvalid('application', describeFaults(isApplication));
  }
  if (application.user_id !== candidate) {
    throw storedDataInvalid('application', "user_id is not the key's");
  }
  return { application, repairedFields: losses + repaired.length };
}

type Attributes = Readonly<Record<string, unknown>>;

const isRemoved = (item: Attributes) => item[revisionAttributes.removed] === true;

/** Like DynamoDB, ignores a time to live that is not a number. */
function isExpired({ [keyAttributes.timeToLive]: timeToLive }: Attributes, now: number): boolean {
  const isNumber = typeof timeToLive === 'number' || timeToLive instanceof LongNumber;
  return isNumber && Number(timeToLive) <= now / 1000;
}
