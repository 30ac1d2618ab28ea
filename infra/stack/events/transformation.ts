import type { JobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { isObject } from '../../../functions/domain/own-value.ts';
import { itemAttributes, jobAttributes } from '../../../functions/store/items.ts';
import { jobKey, keyAttributes } from '../../../functions/store/keys.ts';

const PRESENT = [{ exists: true }];

/**
 * The event pattern for stream records that are status changes. A pattern cannot compare two members of a record, so
 * the pattern has an alternative for each previous status.
 *
 * Only the API's update stores the item's old status as its `previous_status`. The pattern therefore matches no import,
 * no removal, no manual edit of a job, and no application.
 */
export const changePattern = {
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { [keyAttributes.sortKey]: { S: [jobKey('', '').sk] } },
    // The event has a required member for each of these attributes.
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

/** The path in a stream record for each member of the event. */
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
 * The pipe's input template, which makes the event's detail from a stream record. The paths stand without quotation
 * marks, so that the pipe inserts each value as escaped JSON. Between quotation marks, the pipe would not escape the
 * value. A stream record holds each number as a string, and the event keeps the string.
 */
export const changeTemplate = `{${Object.entries(paths)
  .map(([member, path]) => `"${member}": <${path}>`)
  .join(', ')}}`;

/**
 * Returns the event's detail for a stream record. The local service calls this function, because it has no pipe. A
 * member is undefined if the record has no value at the member's path.
 */
export function changeDetail(record: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(paths).map(([member, path]) => [member, valueAt(path, record)]),
  );
}

function valueAt(path: string, record: unknown): unknown {
  const [, ...steps] = path.split('.');
  return steps.reduce((parent, step) => (isObject(parent) ? parent[step] : undefined), record);
}
