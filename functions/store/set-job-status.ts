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

/** A request to set a job's status. */
export interface StatusChange {
  tenant: string;
  job: string;
  status: JobStatus;
  /** The `sub` of the access token. The event has the pseudonym of this subject. */
  actor: string;
  /** An id that all attempts of a request share. */
  changeId: string;
  /** The job versions that the change applies to; undefined if it applies to every version. */
  versions?: readonly number[] | undefined;
}

/** The maximum number of updates for one request. A function whose clock is behind needs two updates. */
const MAX_UPDATES = 5;

/**
 * Sets a job's status with one conditional UpdateItem, which costs one write unit. Setting the status that the
 * job already has writes nothing.
 *
 * A request changes the job at most once, however many attempts are made and however late an attempt reaches
 * DynamoDB. The fence ensures this. The fence is a number that is stored with the job, and each update brings a
 * fence of its own. DynamoDB applies an update only if the stored fence is smaller, and then stores the
 * update's fence. All attempts of an update bring the same fence, so DynamoDB applies at most one attempt.
 *
 * An example: the job 4007 is a draft with the fence 100, and two requests change its status.
 *
 * 1. Request A sends an update to `published` with the fence 200. DynamoDB applies the update and stores the
 *    fence 200, but the response is lost.
 * 2. Request B sends an update to `closed` with the fence 210. 200 is smaller than 210, so DynamoDB applies the
 *    update and stores the fence 210.
 * 3. Request A makes a second attempt of its update, again with the fence 200. 210 is not smaller than 200, so
 *    DynamoDB rejects the attempt. Without the fence, this attempt would publish the closed job again.
 * 4. The rejection returns the stored job, which request B changed last. Request A cannot tell whether its first
 *    attempt was applied before request B's update or will never be applied. Request A therefore gets 503, which
 *    says that the outcome is unknown.
 *
 * An attempt that the network delivers minutes later meets the same condition and is rejected too.
 *
 * A request first takes the time in milliseconds as the fence. The stored fence may be equal or greater,
 * because another change came first or because another function's clock is ahead. If no attempt of the request
 * can have been applied, the request then sends an update whose fence is greater than the stored fence.
 * @returns the job's version, and whether the request changed the job. A job that already had the status is
 *   not changed.
 * @throws Problem `job_not_found`, `version_mismatch` or `transition_refused`; `stored_data_invalid` if the
 *   stored job does not match its schema; `unavailable`, which says whether the status may have been set. If an
 *   attempt may have been applied and no response settles the question, the problem is always `unavailable`.
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

/** Returns the parameters of the UpdateItem. */
function updateOf(policy: TransitionPolicy, change: StatusChange, fence: number, now: string) {
  const { version, previousStatus, changedAt, changedBy, actor, changeId } = jobAttributes;
  const origins = originsOf(policy, change.status);
  const conditions = [
    `attribute_exists(${attributes.partitionKey})`,
    '#status <> :status',
    `(attribute_not_exists(${jobAttributes.fence}) OR ${jobAttributes.fence} < :fence)`,
    // DynamoDB has no condition that excludes fractions. `outcomeOf` reports a version with a fraction.
    `${version} BETWEEN :one AND :last`,
  ];
  const ofStatus =
    origins.length < jobStatuses.length ? inCondition('#status', ':origin', origins) : undefined;
  const ofVersion = change.versions && inCondition(version, ':version', change.versions);
  return {
    Key: jobKey(change.tenant, change.job),
    // DynamoDB evaluates each right-hand side on the item as it was before the update.
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

/** Returns the condition `name IN (…)` and the values of its operands. Without operands, the condition always fails. */
function inCondition<T>(name: string, prefix: string, operands: readonly T[]) {
  const values = Object.fromEntries(operands.map((operand, at) => [`${prefix}${at}`, operand]));
  const names = Object.keys(values).join(', ');
  const never = `attribute_not_exists(${attributes.partitionKey})`;
  return { condition: names === '' ? never : `${name} IN (${names})`, values };
}

/**
 * The result of one update. `isSettled` is false if the job's stored fence was too high. The request then sends another
 * update, with a fence greater than the stored `fence`.
 */
type Outcome =
  | { isSettled: true; version: number; isChanged: boolean }
  | { isSettled: false; fence: number };

/** Reads the version that was written. A fraction is a fault of the stored job, and a retry would not fix it. */
function outcomeOf({ Attributes: written }: UpdateCommandOutput): Outcome {
  const version = written?.[jobAttributes.version];
  if (typeof version !== 'number') throw unavailable('outcomeUnknown');
  if (!Number.isSafeInteger(version)) throw storedDataInvalid('job', 'version is not an integer');
  return { isSettled: true, version, isChanged: true };
}

/**
 * Returns the outcome of a failed update. If a condition failed, DynamoDB's error contains the stored job.
 * @throws Problem if the request has failed.
 */
function outcomeOfFailure(
  { error, mayBeApplied, problem }: Failure,
  policy: TransitionPolicy,
  { changeId, status, versions }: StatusChange,
): Outcome {
  const isRefused = error instanceof ConditionalCheckFailedException;
  const item = isRefused ? error.Item : undefined;
  const job: unknown = item && unmarshall(item, { wrapNumbers: Number });
  // The status is compared too, because an import keeps the change's id and may set another status.
  if (isJob(job) && job[jobAttributes.changeId] === changeId && job.status === status) {
    return { isSettled: true, version: job.version, isChanged: true };
  }
  // A later change may have overwritten the change of this request, or an attempt may yet arrive.
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
