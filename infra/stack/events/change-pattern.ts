import { jobStatuses } from '../../../functions/domain/job.ts';
import { jobAttributes } from '../../../functions/store/items.ts';
import { attributes, jobKey } from '../../../functions/store/keys.ts';

const PRESENT = [{ exists: true }];

/**
 * The event patterns of which a record of the table's stream must match one to be a change of a job's
 * status, one pattern for each status that a job may come from: a pattern cannot compare two members
 * of a record. A pipe takes up to five.
 *
 * The one write that says the status it found as the previous one is the service's own update. So
 * nothing else matches: no import, which replaces the whole item and knows no previous status, no
 * removal, no other edit of a job, and no application.
 */
export const changePatterns = jobStatuses.map((from) => ({
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { [attributes.sortKey]: { S: [jobKey('', '').sk] } },
    OldImage: { [jobAttributes.status]: { S: [from] } },
    NewImage: {
      [jobAttributes.previousStatus]: { S: [from] },
      [jobAttributes.status]: { S: jobStatuses.filter((status) => status !== from) },
      // What the event is made of: without them it would be no event that fits its schema.
      [jobAttributes.tenant]: { S: PRESENT },
      [jobAttributes.job]: { S: PRESENT },
      [jobAttributes.version]: { N: PRESENT },
      [jobAttributes.changedAt]: { S: PRESENT },
      [jobAttributes.actor]: { S: PRESENT },
      [jobAttributes.changeId]: { S: PRESENT },
    },
  },
}));
