import type { JobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { jobAttributes } from '../../../functions/store/items.ts';

/** Where in a record of the table's stream each member of the event lies. */
const paths: Readonly<Record<keyof JobStatusChanged, string>> = {
  id: `$.dynamodb.NewImage.${jobAttributes.changeId}.S`,
  occurred_at: `$.dynamodb.NewImage.${jobAttributes.changedAt}.S`,
  tenant_id: `$.dynamodb.NewImage.${jobAttributes.tenant}.S`,
  job_id: `$.dynamodb.NewImage.${jobAttributes.job}.S`,
  from: `$.dynamodb.OldImage.${jobAttributes.status}.S`,
  to: `$.dynamodb.NewImage.${jobAttributes.status}.S`,
  actor: `$.dynamodb.NewImage.${jobAttributes.actor}.S`,
  sequence: `$.dynamodb.NewImage.${jobAttributes.version}.N`,
};

/**
 * The pipe's input template, which makes the event's detail of a record. There are no quotes around
 * the paths: a value then stands as JSON, whatever characters it holds, where between quotes it would
 * stand as it is. A string stays a string, that of a number too.
 */
export const changeTemplate = `{${Object.entries(paths)
  .map(([member, path]) => `"${member}": <${path}>`)
  .join(', ')}}`;
