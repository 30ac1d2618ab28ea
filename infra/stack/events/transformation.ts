import type { JobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { jobKey } from '../../../functions/store/keys.ts';

const PRESENT = [{ exists: true }];

/**
 * The event patterns one of which a record of the table's stream must match to be a change of a job's
 * status. There is one for each status that a job may come from, because a pattern cannot compare two
 * members of a record; a pipe takes up to five.
 *
 * Only the service's own update stores the status that it found in `previous_status`. So nothing else
 * matches: no import, no removal, no other edit of a job, and no application.
 */
export const changePatterns = jobStatuses.map((from) => ({
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { sk: { S: [jobKey('', '').sk] } },
    OldImage: { status: { S: [from] } },
    NewImage: {
      previous_status: { S: [from] },
      status: { S: jobStatuses.filter((status) => status !== from) },
      // The rest of the event: without one of these it would not fit its schema.
      tenant_id: { S: PRESENT },
      job_id: { S: PRESENT },
      version: { N: PRESENT },
      status_changed_at: { S: PRESENT },
      last_change_actor: { S: PRESENT },
      last_change_id: { S: PRESENT },
    },
  },
}));

/** The path of each member of the event in a record of the table's stream. */
const paths: Readonly<Record<keyof JobStatusChanged, string>> = {
  id: '$.dynamodb.NewImage.last_change_id.S',
  occurred_at: '$.dynamodb.NewImage.status_changed_at.S',
  tenant_id: '$.dynamodb.NewImage.tenant_id.S',
  job_id: '$.dynamodb.NewImage.job_id.S',
  from: '$.dynamodb.OldImage.status.S',
  to: '$.dynamodb.NewImage.status.S',
  actor: '$.dynamodb.NewImage.last_change_actor.S',
  sequence: '$.dynamodb.NewImage.version.N',
};

/**
 * The pipe's input template, which makes the event's detail from a record. The paths have no quotes
 * around them: a value is then inserted as JSON and escaped; between quotes it would not be. A number
 * of DynamoDB is a string in a stream, and stays one.
 */
export const changeTemplate = `{${Object.entries(paths)
  .map(([member, path]) => `"${member}": <${path}>`)
  .join(', ')}}`;
