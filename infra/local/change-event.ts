import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import { jobAttributes } from '../../functions/store/items.ts';
import { jobKey } from '../../functions/store/keys.ts';
import { changeDetail } from '../stack/events/transformation.ts';
import { recordOf } from './log-line.ts';

/**
 * The event of the change of which a line of the log tells, as a subscriber gets it, without the members that
 * EventBridge adds; undefined if the line tells of none. It comes from the job's item, because the local table
 * has no stream: there is none if the next change is made before this reads the item, or if the log has a
 * hash in place of the job's id or the tenant.
 */
export async function changeEvent(client: DynamoDBClient, TableName: string, line: string) {
  const { status_changed_to, tenant = '', job_id = '', invocation_id } = recordOf(line) ?? {};
  if (status_changed_to === undefined) return;
  const Key = marshall(jobKey(tenant, job_id));
  const { Item: item } = await client.send(
    new GetItemCommand({ TableName, Key, ConsistentRead: true }),
  );
  if (item === undefined || item[jobAttributes.changeId]?.S !== invocation_id) return;
  const { [jobAttributes.previousStatus]: status } = item;
  const detail = changeDetail({
    dynamodb: { OldImage: { [jobAttributes.status]: status }, NewImage: item },
  });
  return { source: jobStatusChanged.source, 'detail-type': jobStatusChanged.type, detail };
}
