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
  MAX_VERSION,
  statusesBefore,
  type TransitionPolicy,
  transitionPolicies,
} from '../domain/job.ts';
import { isoDate } from '../platform/clock.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { describeFaults, jobAttributes } from './items.ts';
import { jobKey, keyAttributes } from './keys.ts';
import { type Failure, withRetries } from './retries.ts';

interface StatusChange {
  tenant: string;
  job: string;
  status: JobStatus;
  /** The token's `sub`, or its client. */
  subject: string;
  /** The same in all attempts of a request; a client's retry gets a new one. */
  changeId: string;
  /** From `If-Match`; undefined if any version will do. */
  versions?: readonly number[] | undefined;
}

/**
 * Updates per request, each with its own fence. Normally one is enough. A second is needed if the last change came from
 * a clock that was ahead, or an import has just raised the fence.
 */
const MAX_UPDATES = 5;

/**
 * Normally sends one conditional UpdateItem, which costs one write unit. Writes nothing if the job already has the
 * status.
 *
 * A request changes the job at most once, however many attempts it makes, and however late one arrives. The fence, a
 * fencing token stored with the job, ensures this; docs/architecture.md has an example. Comparing versions instead
 * would need a read before each update.
 *
 * - All attempts of an update have the same fence. DynamoDB applies one only if the stored fence is smaller, and then
 *   stores this one, so all further attempts are rejected.
 * - A rejection contains the stored job. If its `last_change_id` is this request's, an earlier attempt was applied. If
 *   not, an earlier attempt may still have been, and another request may have changed the job since. The response is
 *   then 503 with `outcome_unknown`, unless every earlier attempt is known to have failed.
 * - The first fence is the current time in milliseconds. If the stored one is not smaller, because of a later change, a
 *   clock that is ahead or an import, the request sends another update with a fence above it. It does so only if no
 *   attempt can have been applied.
 * @returns `isChanged` is false if the job already had the status.
 * @throws Problem `unavailable` with `outcome_unknown` if DynamoDB may have applied an attempt and no response shows
 *   the outcome; `job_not_found`, `version_mismatch` or `transition_refused`; `stored_data_invalid` if the stored job
 *   does not match its schema; `unavailable` if the failure is temporary, time is up, or other requests keep changing
 *   the job; otherwise the SDK's error.
 */
export async function setJobStatus(
  { client, environment, clock, timer }: Dependencies,
  change: StatusChange,
  signal: AbortSignal,
): Promise<{ version: number; isChanged: boolean }> {
  const policy = transitionPolicies[environment.transitionPolicy];
  let fence = clock().date;
  for (let updates = 0; updates < MAX_UPDATES; updates += 1) {
    const update = updateInput(policy, change, fence, isoDate(clock));
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

function updateInput(policy: TransitionPolicy, change: StatusChange, fence: number, now: string) {
  const { version, previousStatus, changedAt, changedBy, actor, changeId } = jobAttributes;
  const origins = statusesBefore(policy, change.status);
  const conditions = [
    `attribute_exists(${keyAttributes.partitionKey})`,
    '#status <> :status',
    `(attribute_not_exists(${jobAttributes.fence}) OR ${jobAttributes.fence} < :fence)`,
    // A condition cannot exclude versions with a fraction, so `outcomeOf` rejects them.
    `${version} BETWEEN :one AND :last`,
  ];
  const ofStatus =
    origins.length < jobStatuses.length ? inCondition('#status', ':origin', origins) : undefined;
  const ofVersion = change.versions && inCondition(version, ':version', change.versions);
  return {
    Key: jobKey(change.tenant, change.job),
    // Right-hand sides refer to the item as it was before the update.
    UpdateExpression:
      `SET #status = :status, ${previousStatus} = #status, ${version} = ${version} + :one, ` +
      `${jobAttributes.fence} = :fence, ${changedAt} = :now, ${changedBy} = :subject, ` +
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
      ':last': MAX_VERSION,
      ':fence': fence,
      ':now': now,
      ':subject': change.subject,
      ':pseudonym': pseudonym(change.subject),
      ':change': change.changeId,
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

function inCondition<T>(name: string, prefix: string, operands: readonly T[]) {
  const values = Object.fromEntries(operands.map((operand, at) => [`${prefix}${at}`, operand]));
  const names = Object.keys(values).join(', ');
  const never = `attribute_not_exists(${keyAttributes.partitionKey})`;
  return { condition: names === '' ? never : `${name} IN (${names})`, values };
}

/** Unsettled if the stored `fence` is at least the update's: the request sends another update. */
type UpdateOutcome =
  | { isSettled: true; version: number; isChanged: boolean }
  | { isSettled: false; fence: number };

function outcomeOf({ Attributes: written }: UpdateCommandOutput): UpdateOutcome {
  const version = written?.[jobAttributes.version];
  if (typeof version !== 'number') throw unavailable('outcomeUnknown');
  if (!Number.isSafeInteger(version)) throw storedDataInvalid('job', 'version is not an integer');
  return { isSettled: true, version, isChanged: true };
}

function outcomeOfFailure(
  { error, isOutcomeUnknown, problem }: Failure,
  policy: TransitionPolicy,
  { changeId, status, versions }: StatusChange,
): UpdateOutcome {
  const isRefused = error instanceof ConditionalCheckFailedException;
  const item = isRefused ? error.Item : undefined;
  const job: unknown = item && unmarshall(item, { wrapNumbers: Number });
  // The id alone is not enough: an import that replaces the job keeps `last_change_id`, but may set another status.
  if (isJob(job) && job[jobAttributes.changeId] === changeId && job.status === status) {
    return { isSettled: true, version: job.version, isChanged: true };
  }
  // A later change may have overwritten this one, or an attempt may still arrive.
  if (isOutcomeUnknown) throw unavailable('outcomeUnknown', error);
  if (!isRefused) throw problem;
  if (job === undefined) throw jobNotFound();
  if (!isJob(job)) throw storedDataInvalid('job', describeFaults(isJob));
  const { version } = job;
  if (versions !== undefined && !versions.includes(version)) {
    throw versionMismatch(version, job.status);
  }
  if (job.status === status) return { isSettled: true, version, isChanged: false };
  const allowed = policy(job.status);
  if (allowed.includes(status)) return { isSettled: false, fence: job.fence ?? 0 };
  throw transitionRefused(version, job.status, status, allowed);
}
