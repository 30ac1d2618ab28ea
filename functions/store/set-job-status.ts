import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { isJob } from '#validators';
import {
  jobNotFound,
  storedDataInvalid,
  transitionRefused,
  unavailable,
  versionMismatch,
} from '../contract/problem.ts';
import { pseudonym } from '../domain/identifier.ts';
import {
  type JobStatus,
  jobStatuses,
  LAST_COUNT,
  originsOf,
  type TransitionPolicy,
  transitionPolicies,
} from '../domain/job.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { isoDate } from '../runtime/moment.ts';
import { faultsOf, jobAttributes } from './items.ts';
import { attributes, jobKey } from './keys.ts';
import { type Failure, withRetries } from './retries.ts';

/** A request to set the status of a job. */
interface StatusChange {
  tenant: string;
  job: string;
  status: JobStatus;
  /** The `sub` of the access token. The event has a pseudonym in place of the `sub`. */
  actor: string;
  /** An id that is the same in all attempts of this request. */
  changeId: string;
  /**
   * The versions from the `If-Match` header. The job must have one of these versions. Undefined if the job may have any
   * version.
   */
  versions?: readonly number[] | undefined;
}

/**
 * The maximum number of updates for one request, each with a fence of its own. One update is normally enough. Two are
 * necessary if the function's clock is behind the clock of the function that made the last change.
 */
const MAX_UPDATES = 5;

/**
 * Sets a job's status with a conditional UpdateItem, which costs one write unit. If the job already has the status,
 * writes nothing.
 *
 * A request changes the job at most once, however many attempts the request makes, and however late an attempt reaches
 * DynamoDB. The fence ensures this. The fence is a number that is stored with the job:
 *
 * - Each update has a fence of its own. All attempts of an update have the same fence.
 * - DynamoDB applies an update only if the stored fence is smaller than the update's fence.
 * - When DynamoDB applies an update, it stores the update's fence. DynamoDB therefore rejects all other attempts of
 *   this update.
 *
 * An example: the job 4007 is a draft with the fence 100, and two requests change its status.
 *
 * 1. Request A sends an update to `published` with the fence 200. DynamoDB applies the update and stores the fence 200,
 *    but the response is lost.
 * 2. Request B sends an update to `closed` with the fence 210. The stored fence 200 is smaller than 210, so DynamoDB
 *    applies the update and stores the fence 210.
 * 3. Request A makes a second attempt of its update, which has the fence 200 like the first attempt. The stored fence
 *    210 is not smaller than 200, so DynamoDB rejects the attempt. Without the fence, this attempt would publish the
 *    closed job.
 * 4. The rejection contains the stored job, which request B changed last. The stored job does not show whether DynamoDB
 *    has applied the first attempt of request A. Request A therefore gets 503, and the response says that the outcome
 *    is unknown.
 *
 * If an attempt of an applied update arrives minutes later, DynamoDB rejects the attempt for the same reason.
 *
 * The fence of a request's first update is the current time in milliseconds. The stored fence may be equal or greater,
 * because another change came first or because another function's clock is ahead. DynamoDB then rejects the update. If
 * DynamoDB has certainly applied no attempt of this update, the request sends another update, whose fence is greater
 * than the stored fence.
 * @returns the job's version, and whether the request changed the job. `isChanged` is false if the job already had the
 *   status.
 * @throws Problem `unavailable` with `outcome_unknown` if DynamoDB may have applied an attempt, and no response shows
 *   the outcome. Otherwise, `job_not_found`, `version_mismatch` or `transition_refused`; `stored_data_invalid` if the
 *   stored job does not match its schema; `unavailable` if the failure is temporary.
 */
export async function setJobStatus(
  { client, environment, clock, timer }: Dependencies,
  change: StatusChange,
  signal: AbortSignal,
): Promise<{ version: number; isChanged: boolean }> {
  const policy = transitionPolicies[environment.transitionPolicy];
  let fence = clock().date;
  for (let updates = 0; updates < MAX_UPDATES; updates += 1) {
    const update = updateOf(policy, change, fence, isoDate(clock));
    const input = { TableName: environment.tableName, ...update };
    const send = () => client.send(new UpdateCommand(input), { abortSignal: signal });
    const result = await withRetries(send, signal, timer);
    const outcome = result.isSuccess
      ? outcomeOf(result.output)
      : outcomeOfFailure(result, policy, change);
    if (outcome.isSettled) return outcome;
    fence = Math.max(clock().date, outcome.fence + 1);
  }
  throw unavailable('contention');
}

function updateOf(policy: TransitionPolicy, change: StatusChange, fence: number, now: string) {
  const { version, previousStatus, changedAt, changedBy, actor, changeId } = jobAttributes;
  const origins = originsOf(policy, change.status);
  const conditions = [
    `attribute_exists(${attributes.partitionKey})`,
    '#status <> :status',
    `(attribute_not_exists(${jobAttributes.fence}) OR ${jobAttributes.fence} < :fence)`,
    // This condition also accepts fractions, because DynamoDB has no condition that excludes them. `outcomeOf` rejects
    // a version that is a fraction.
    `${version} BETWEEN :one AND :last`,
  ];
  const ofStatus =
    origins.length < jobStatuses.length ? inCondition('#status', ':origin', origins) : undefined;
  const ofVersion = change.versions && inCondition(version, ':version', change.versions);
  return {
    Key: jobKey(change.tenant, change.job),
    // In each assignment, the right-hand side refers to the item as it was before the update.
    UpdateExpression:
      `SET #status = :status, ${previousStatus} = #status, ${version} = ${version} + :one, ` +
      `${jobAttributes.fence} = :fence, ${changedAt} = :now, ${changedBy} = :actor, ` +
      `${actor} = :pseudonym, ${changeId} = :change`,
    ConditionExpression: [...conditions, ofStatus?.condition, ofVersion?.condition]
      .filter((condition) => condition !== undefined)
      .join(' AND '),
    ExpressionAttributeNames: { '#status': jobAttributes.status },
    ExpressionAttributeValues: {
      ...ofStatus?.values,
      ...ofVersion?.values,
      ':status': change.status,
      ':one': 1,
      ':last': LAST_COUNT,
      ':fence': fence,
      ':now': now,
      ':actor': change.actor,
      ':pseudonym': pseudonym(change.actor),
      ':change': change.changeId,
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

/**
 * Returns the condition `name IN (…)`, and the values of its operands. If there are no operands, returns a condition
 * that no stored item meets.
 */
function inCondition<T>(name: string, prefix: string, operands: readonly T[]) {
  const values = Object.fromEntries(operands.map((operand, at) => [`${prefix}${at}`, operand]));
  const names = Object.keys(values).join(', ');
  const never = `attribute_not_exists(${attributes.partitionKey})`;
  return { condition: names === '' ? never : `${name} IN (${names})`, values };
}

/**
 * The result of one update. `isSettled` is false if the stored fence was not smaller than the update's fence. In this
 * case, `fence` is the stored fence, and the request sends another update with a greater fence.
 */
type Outcome =
  | { isSettled: true; version: number; isChanged: boolean }
  | { isSettled: false; fence: number };

/**
 * Returns the outcome of an update that DynamoDB applied. A version that is a fraction is a fault in the stored job. A
 * retry would not correct this fault.
 */
function outcomeOf({ Attributes: written }: UpdateCommandOutput): Outcome {
  const version = written?.[jobAttributes.version];
  if (typeof version !== 'number') throw unavailable('outcomeUnknown');
  if (!Number.isSafeInteger(version)) throw storedDataInvalid('job', 'version is not an integer');
  return { isSettled: true, version, isChanged: true };
}

/**
 * Returns the outcome of an update that failed. If a condition failed, DynamoDB's error contains the stored job.
 * @throws Problem if the request neither succeeds nor needs another update.
 */
function outcomeOfFailure(
  { error, mayBeApplied, problem }: Failure,
  policy: TransitionPolicy,
  { changeId, status, versions }: StatusChange,
): Outcome {
  const isRefused = error instanceof ConditionalCheckFailedException;
  const item = isRefused ? error.Item : undefined;
  const job: unknown = item && unmarshall(item, { wrapNumbers: Number });
  // Compare the status as well as the change's id. An import that replaces the job keeps the id, but may set another
  // status.
  if (isJob(job) && job[jobAttributes.changeId] === changeId && job.status === status) {
    return { isSettled: true, version: job.version, isChanged: true };
  }
  // A later change may have overwritten the change of this request. Or DynamoDB may still receive an attempt of this
  // request.
  if (mayBeApplied) throw unavailable('outcomeUnknown', error);
  if (!isRefused) throw problem;
  if (job === undefined) throw jobNotFound();
  if (!isJob(job)) throw storedDataInvalid('job', faultsOf(isJob));
  const { version } = job;
  if (versions !== undefined && !versions.includes(version)) throw versionMismatch(version);
  if (job.status === status) return { isSettled: true, version, isChanged: false };
  const allowed = policy(job.status);
  if (allowed.includes(status)) return { isSettled: false, fence: job.fence ?? 0 };
  throw transitionRefused(job.status, status, allowed);
}
