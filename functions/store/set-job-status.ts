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

interface StatusChange {
  tenant: string;
  job: string;
  status: JobStatus;
  /** Who changes it, the `sub` of the access token. The event has its pseudonym. */
  actor: string;
  /** Identifies this change: all attempts of a request have the same. */
  changeId: string;
  /** The versions of the job that it applies to; undefined if it applies to all. */
  versions?: readonly number[] | undefined;
}

/** The most updates for one request while others change the job; a clock that is behind needs two. */
const MAX_UPDATES = 5;

/** The jobs in the table of the environment, whose policy says which moves between statuses are allowed. */
export function jobs({ client, environment, clock, timer }: Dependencies) {
  const policy = transitionPolicies[environment.transitionPolicy];
  return {
    /**
     * Sets a job's status: one conditional UpdateItem, one write unit, unless another request changes
     * the job at the same time. Setting the status that the job has writes nothing.
     *
     * The update is applied at most once, however many attempts are made and however late one
     * arrives: a job's fence only grows, and an update applies only to a job whose fence is below its
     * own. So the first attempt that is applied excludes the others, and so does every later change by
     * another request. The first guess of a fence is the time, in milliseconds; if the job's is greater,
     * because another change came first or by a clock that is ahead, the next is one more than that.
     * @returns the job's version, and whether the request changed it or it had the status already.
     * @throws Problem `job_not_found`, `version_mismatch`, `transition_refused`, `stored_data_invalid` if
     *   the stored job does not match its schema, or `unavailable`, which says whether the status may have
     *   been set. If an attempt may have been applied and no response settles it, there is no other error.
     */
    async setStatus(change: StatusChange, abortSignal: AbortSignal) {
      let fence = clock().date;
      for (let updates = 0; updates < MAX_UPDATES; updates += 1) {
        const input = {
          TableName: environment.tableName,
          ...updateOf(policy, change, fence, isoDate(clock)),
        };
        const send = () => client.send(new UpdateCommand(input), { abortSignal });
        const result = await withRetries(send, abortSignal, timer);
        const outcome = result.isSuccess
          ? outcomeOf(result.output)
          : outcomeOfFailure(result, policy, change);
        if (outcome.isSettled) return outcome;
        fence = Math.max(clock().date, outcome.fence + 1);
      }
      throw unavailable('contention');
    },
  };
}

function updateOf(policy: TransitionPolicy, change: StatusChange, fence: number, now: string) {
  const { version, previousStatus, changedAt, changedBy, actor, changeId } = jobAttributes;
  const origins = originsOf(policy, change.status);
  const conditions = [
    `attribute_exists(${attributes.partitionKey})`,
    '#status <> :status',
    `(attribute_not_exists(${jobAttributes.fence}) OR ${jobAttributes.fence} < :fence)`,
    // No condition of DynamoDB can tell a fraction, which `outcomeOf` reports.
    `${version} BETWEEN :one AND :last`,
  ];
  const ofStatus =
    origins.length < jobStatuses.length ? inCondition('#status', ':origin', origins) : undefined;
  const ofVersion = change.versions && inCondition(version, ':version', change.versions);
  return {
    Key: jobKey(change.tenant, change.job),
    // The right-hand sides read the item as it was before the update.
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

/** The condition `name IN (…)` with the values of its operands; without operands, one that always fails. */
function inCondition<T>(name: string, prefix: string, operands: readonly T[]) {
  const values = Object.fromEntries(operands.map((operand, at) => [`${prefix}${at}`, operand]));
  const names = Object.keys(values).join(', ');
  const never = `attribute_not_exists(${attributes.partitionKey})`;
  return { condition: names === '' ? never : `${name} IN (${names})`, values };
}

/** A change is settled, or is to be sent again with a fence above the job's. */
type Outcome =
  | { isSettled: true; version: number; isChanged: boolean }
  | { isSettled: false; fence: number };

/** Reads the version that was written. A fraction is a fault of the stored job that no other request would fix. */
function outcomeOf({ Attributes: written }: UpdateCommandOutput): Outcome {
  const version = written?.[jobAttributes.version];
  if (typeof version !== 'number') throw unavailable('outcomeUnknown');
  if (!Number.isSafeInteger(version)) throw storedDataInvalid('job', 'version is not an integer');
  return { isSettled: true, version, isChanged: true };
}

/** What a failed update means. After this request's change, an import may have set another status. */
function outcomeOfFailure(
  { error, mayBeApplied, problem }: Failure,
  policy: TransitionPolicy,
  { changeId, status, versions }: StatusChange,
): Outcome {
  const isRefused = error instanceof ConditionalCheckFailedException;
  const item = isRefused ? error.Item : undefined;
  const job: unknown = item && unmarshall(item, { wrapNumbers: Number });
  if (isJob(job) && job[jobAttributes.changeId] === changeId && job.status === status) {
    return { isSettled: true, version: job.version, isChanged: true };
  }
  // An earlier attempt may have been the change before the last, or may still arrive.
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
