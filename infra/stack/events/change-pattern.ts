import { jobStatuses } from '../../../functions/domain/job.ts';
import { jobKey } from '../../../functions/store/keys.ts';

const PRESENT = [{ exists: true }];

/**
 * The event patterns of which a record of the table's stream must match one to be a change of a job's
 * status, one pattern for each status that a job may come from: a pattern cannot compare two members
 * of a record. A pipe takes up to five.
 *
 * The one write that says the status it found in `previous_status` is the service's own update. So
 * nothing else matches: no import, which replaces the whole item and knows no previous status, no
 * removal, no other edit of a job, and no application.
 */
export const changePatterns = jobStatuses.map((from) => ({
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { sk: { S: [jobKey('', '').sk] } },
    OldImage: { status: { S: [from] } },
    NewImage: {
      previous_status: { S: [from] },
      status: { S: jobStatuses.filter((status) => status !== from) },
      // What the event is made of: without them it would be no event that fits its schema.
      tenant_id: { S: PRESENT },
      job_id: { S: PRESENT },
      version: { N: PRESENT },
      status_changed_at: { S: PRESENT },
      last_change_actor: { S: PRESENT },
      last_change_id: { S: PRESENT },
    },
  },
}));
