import type { JobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { itemAttributes, jobAttributes } from '../../../functions/store/items.ts';
import { attributes, jobKey } from '../../../functions/store/keys.ts';

const PRESENT = [{ exists: true }];

/**
 * The event pattern that a record of the table's stream must match to be a change of a job's status. A
 * pattern cannot compare two members of a record, so it has an alternative for each status that a job may
 * come from.
 *
 * Only the service's own update stores the status that it found as the previous one. So nothing else
 * matches: no import, no removal, no other edit of a job, and no application.
 */
export const changePattern = {
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { [attributes.sortKey]: { S: [jobKey('', '').sk] } },
    // The rest of the event: without one of these it would not fit its schema.
    NewImage: {
      [itemAttributes.tenant]: { S: PRESENT },
      [itemAttributes.job]: { S: PRESENT },
      [jobAttributes.version]: { N: PRESENT },
      [jobAttributes.changedAt]: { S: PRESENT },
      [jobAttributes.actor]: { S: PRESENT },
      [jobAttributes.changeId]: { S: PRESENT },
    },
    $or: jobStatuses.map((from) => ({
      OldImage: { [jobAttributes.status]: { S: [from] } },
      NewImage: {
        [jobAttributes.previousStatus]: { S: [from] },
        [jobAttributes.status]: { S: jobStatuses.filter((status) => status !== from) },
      },
    })),
  },
};

/** The path of each member of the event in a record of the table's stream. */
const paths: Readonly<Record<keyof JobStatusChanged, string>> = {
  id: `$.dynamodb.NewImage.${jobAttributes.changeId}.S`,
  occurred_at: `$.dynamodb.NewImage.${jobAttributes.changedAt}.S`,
  tenant_id: `$.dynamodb.NewImage.${itemAttributes.tenant}.S`,
  job_id: `$.dynamodb.NewImage.${itemAttributes.job}.S`,
  from: `$.dynamodb.OldImage.${jobAttributes.status}.S`,
  to: `$.dynamodb.NewImage.${jobAttributes.status}.S`,
  actor: `$.dynamodb.NewImage.${jobAttributes.actor}.S`,
  sequence: `$.dynamodb.NewImage.${jobAttributes.version}.N`,
};

/**
 * The pipe's input template, which makes the event's detail from a record. The paths have no quotes
 * around them: a value is then inserted as JSON and escaped; between quotes it would not be. A number
 * of DynamoDB is a string in a stream, and stays one.
 */
export const changeTemplate = `{${Object.entries(paths)
  .map(([member, path]) => `"${member}": <${path}>`)
  .join(', ')}}`;

/**
 * The event's detail, from a record of the table's stream by the same paths as the template, for the local
 * service, which has no pipe. A member whose path leads nowhere is undefined.
 */
export function changeDetail(record: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(paths).map(([member, path]) => [member, valueAt(path, record)]),
  );
}

function valueAt(path: string, record: unknown): unknown {
  const [, ...steps] = path.split('.');
  return steps.reduce((parent, step) => (isRecord(parent) ? parent[step] : undefined), record);
}
