import type { JobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { isObject } from '../../../functions/domain/own-value.ts';
import { itemAttributes, jobAttributes } from '../../../functions/store/items.ts';
import { jobKey, keyAttributes } from '../../../functions/store/keys.ts';

const PRESENT = [{ exists: true }];

/**
 * Only the API's update stores the old status as `previous_status`, so no import, removal or manual edit matches. A
 * pattern cannot compare two members, hence an alternative for each previous status.
 */
export const changePattern = {
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { [keyAttributes.sortKey]: { S: [jobKey('', '').sk] } },
    // An event without one of these would be incomplete.
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
 * No quotation marks around the paths: inside them, the pipe would not escape values; without them, it inserts JSON.
 * Numbers stay strings, as in stream records.
 */
export const changeTemplate = `{${Object.entries(paths)
  .map(([member, path]) => `"${member}": <${path}>`)
  .join(', ')}}`;

/** Stands in for the pipe in the local service. */
export function changeDetail(record: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(paths).map(([member, path]) => [member, valueAt(path, record)]),
  );
}

function valueAt(path: string, record: unknown): unknown {
  const [, ...steps] = path.split('.');
  return steps.reduce((parent, step) => (isObject(parent) ? parent[step] : undefined), record);
}
