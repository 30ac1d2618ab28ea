import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import isJob from '#validators/job';
import { Problem, problemTypes } from '../contract/problem.ts';
import { type JobStatus, jobStatuses, originsOf, type TransitionPolicy } from '../domain/job.ts';
import { pseudonym } from '../domain/pseudonym.ts';
import { LAST_INSTANT_MS } from '../domain/timestamp.ts';
import { followsAmbiguousAttempt, translateErrors } from './client.ts';
import { jobAttributes, jobOfItem } from './items.ts';
import { attributes, jobKey } from './keys.ts';

/** A change of a job's status. */
export interface StatusChange {
  tenant: string;
  job: string;
  status: JobStatus;
  /** Who changes it. The stream, and so the event, says it under a pseudonym. */
  actor: string;
  /** Names this change: a request that is sent again has the id of its first sending. */
  changeId: string;
  /** The versions of the job that it applies to; undefined: any. */
  versions?: readonly number[] | undefined;
}

/** What a change has come to. */
export interface StatusSet {
  /** The job's version. */
  version: number;
  /** Whether the request has changed the job, which may have had the status already. */
  isChanged: boolean;
}

/** How often an update is tried that others overtake: a clock that is behind needs two. */
const TRIES = 5;

/** The jobs in the table `tableName`, whose moves `policy` restricts. */
export function jobs(client: DynamoDBDocumentClient, tableName: string, policy: TransitionPolicy) {
  return {
    /**
     * Sets a job's status: one conditional UpdateItem, one write unit, unless another changes the job
     * at the same time. Setting the status that the job has writes nothing.
     *
     * However often the SDK sends the update, and however late a sending arrives, it is made at most
     * once: the time of a job's last change only grows, and an update applies only to a job whose
     * time is before its own. So the first sending that applies shuts out the others, and so does
     * every later change by another. An update that another's change has overtaken is tried again
     * with a later time; clocks that differ cost such a try, and no more.
     * @throws Problem `job_not_found`, `version_mismatch`, `transition_refused`, or `unavailable`,
     *   after which the status may have been set or not.
     */
    async setStatus(change: StatusChange, abortSignal: AbortSignal): Promise<StatusSet> {
      let time = Date.now();
      for (let tries = 0; tries < TRIES; tries += 1) {
        const command = updateCommand(tableName, policy, change, new Date(time));
        try {
          const { Attributes: written } = await translateErrors(
            client.send(command, { abortSignal }),
          );
          return { version: versionOf(written), isChanged: true };
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          const outcome = unwritten(error, policy, change);
          if ('version' in outcome) return outcome;
          time = Math.max(Date.now(), outcome.overtakenAt + 1);
          if (time > LAST_INSTANT_MS)
            throw new Problem('internal', {
              detail: 'A job was changed at the last representable time.',
            });
        }
      }
      throw new Problem('unavailable', {
        detail: problemTypes.unavailable.detail.contention,
        retryAfter: 1,
      });
    },
  };
}

function updateCommand(
  tableName: string,
  policy: TransitionPolicy,
  change: StatusChange,
  time: Date,
) {
  const { version, previousStatus, changedAt, changedBy, actor, changeId } = jobAttributes;
  const origins = originsOf(policy, change.status);
  const conditions = [
    `attribute_exists(${attributes.partitionKey})`,
    '#status <> :status',
    `(attribute_not_exists(${changedAt}) OR ${changedAt} < :now)`,
  ];
  const conditional: Record<string, JobStatus | number> = {};
  if (origins.length < jobStatuses.length) {
    conditions.push(isIn('#status', ':origin', origins, conditional));
  }
  if (change.versions !== undefined) {
    conditions.push(isIn(version, ':version', change.versions, conditional));
  }
  return new UpdateCommand({
    TableName: tableName,
    Key: jobKey(change.tenant, change.job),
    // The right-hand sides read the item as it was before the update.
    UpdateExpression:
      `SET #status = :status, ${previousStatus} = #status, ${version} = ${version} + :one, ` +
      `${changedAt} = :now, ${changedBy} = :actor, ${actor} = :pseudonym, ${changeId} = :change`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#status': jobAttributes.status },
    ExpressionAttributeValues: {
      ...conditional,
      ':status': change.status,
      ':one': 1,
      ':now': time.toISOString(),
      ':actor': change.actor,
      ':pseudonym': pseudonym(change.actor),
      ':change': change.changeId,
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
}

/** `name IN (…)`, its operands added to `values`; without operands, a condition never met. */
function isIn<T>(name: string, prefix: string, operands: readonly T[], values: Record<string, T>) {
  operands.forEach((operand, index) => {
    values[`${prefix}${index}`] = operand;
  });
  const names = operands.map((_, index) => `${prefix}${index}`);
  return names.length === 0
    ? `attribute_not_exists(${attributes.partitionKey})`
    : `${name} IN (${names.join(', ')})`;
}

/** What answers the request; else when the job was changed, too late for it. */
type Unwritten = StatusSet | { overtakenAt: number };

/** Tells from the item as it was why it was not written. */
function unwritten(
  refusal: ConditionalCheckFailedException,
  policy: TransitionPolicy,
  { status, changeId, versions }: StatusChange,
): Unwritten {
  const { Item: item } = refusal;
  if (item === undefined) throw new Problem('job_not_found');
  const job: unknown = jobOfItem(unmarshall(item, { wrapNumbers: Number }));
  if (!isJob(job))
    throw new Problem('internal', { detail: 'A stored job does not match its schema.' });
  if (job.changeId === changeId) return { version: job.version, isChanged: true };
  // An earlier sending may have been the change before the last, or may still arrive.
  if (followsAmbiguousAttempt(refusal)) throw undecided();
  if (versions !== undefined && !versions.includes(job.version)) {
    throw new Problem('version_mismatch', { version: job.version });
  }
  if (job.status === status) return { version: job.version, isChanged: false };
  const allowed = policy[job.status];
  if (allowed.includes(status)) return { overtakenAt: Date.parse(String(job.changedAt)) };
  throw new Problem('transition_refused', {
    detail: problemTypes.transition_refused.detail(job.status, status),
    extensions: { current_status: job.status, allowed_transitions: allowed },
  });
}

/** The version that an answer says was written; an answer without one says nothing. */
function versionOf(written: Record<string, unknown> | undefined): number {
  const version = written?.[jobAttributes.version];
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) throw undecided();
  return version;
}

const undecided = () =>
  new Problem('unavailable', {
    detail: problemTypes.unavailable.detail.outcomeUnknown,
    retryAfter: 1,
  });
