import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import isJob from '#validators/job';
import { Problem } from '../contract/problem.ts';
import { type JobStatus, jobStatuses, originsOf, type TransitionPolicy } from '../domain/job.ts';
import { pseudonym } from '../domain/pseudonym.ts';
import { followsAmbiguousAttempt, translateErrors } from './client.ts';
import { jobKey } from './keys.ts';

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
/** The last instant whose text sorts as its time does: later years have a sign and two digits more. */
const LAST_TIME = Date.UTC(10_000, 0) - 1;

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
          if (time > LAST_TIME)
            throw new Problem('internal', 'A job was changed at the end of time.');
        }
      }
      throw new Problem('unavailable', 'Others change the job at the same time. Try again.', {
        retryAfter: 1,
      });
    },
  };
}

function updateCommand(
  tableName: string,
  policy: TransitionPolicy,
  { tenant, job, status, actor, changeId, versions }: StatusChange,
  time: Date,
) {
  const origins = originsOf(policy, status);
  const conditions = [
    'attribute_exists(pk)',
    '#status <> :status',
    '(attribute_not_exists(status_changed_at) OR status_changed_at < :now)',
  ];
  const conditional: Record<string, JobStatus | number> = {};
  if (origins.length < jobStatuses.length) {
    conditions.push(isIn('#status', ':origin', origins, conditional));
  }
  if (versions !== undefined) {
    conditions.push(isIn('version', ':version', versions, conditional));
  }
  return new UpdateCommand({
    TableName: tableName,
    Key: jobKey(tenant, job),
    // The right-hand sides read the item as it was before the update.
    UpdateExpression:
      'SET #status = :status, previous_status = #status, version = version + :one, ' +
      'status_changed_at = :now, status_changed_by = :actor, last_change_actor = :pseudonym, ' +
      'last_change_id = :change',
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ...conditional,
      ':status': status,
      ':one': 1,
      ':now': time.toISOString(),
      ':actor': actor,
      ':pseudonym': pseudonym(actor),
      ':change': changeId,
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
  return names.length === 0 ? `attribute_not_exists(pk)` : `${name} IN (${names.join(', ')})`;
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
  if (item === undefined) throw new Problem('job_not_found', 'There is no job with this id.');
  const job: unknown = unmarshall(item, { wrapNumbers: Number });
  if (!isJob(job)) throw new Problem('internal', 'A stored job does not fit its schema.');
  if (job.last_change_id === changeId) return { version: job.version, isChanged: true };
  // An earlier sending may have been the change before the last, or may still arrive.
  if (followsAmbiguousAttempt(refusal)) throw undecided();
  if (versions !== undefined && !versions.includes(job.version)) {
    throw new Problem('version_mismatch', 'Compare with the current ETag and decide again.', {
      version: job.version,
    });
  }
  if (job.status === status) return { version: job.version, isChanged: false };
  const allowed = policy[job.status];
  if (allowed.includes(status)) return { overtakenAt: Date.parse(String(job.status_changed_at)) };
  throw new Problem('transition_refused', `A job that is ${job.status} may not become ${status}.`, {
    extensions: { current_status: job.status, allowed_transitions: allowed },
  });
}

/** The version that an answer says was written; an answer without one says nothing. */
function versionOf(written: Record<string, unknown> | undefined): number {
  const version = written?.version;
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) throw undecided();
  return version;
}

const undecided = () =>
  new Problem('unavailable', 'It is not known whether the status was set. Try again.', {
    retryAfter: 1,
  });
