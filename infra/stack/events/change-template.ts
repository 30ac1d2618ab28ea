import type { JobStatusChanged } from '../../../functions/contract/job-status-changed.ts';

/** Where in a record of the table's stream each member of the event lies. */
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
 * The pipe's input template, which makes the event's detail of a record. There are no quotes around
 * the paths: a value then stands as JSON, whatever characters it holds, where between quotes it would
 * stand as it is. A string stays a string, that of a number too.
 */
export const changeTemplate = `{${Object.entries(paths)
  .map(([member, path]) => `"${member}": <${path}>`)
  .join(', ')}}`;
