import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import type { LogRecord } from '../../functions/contract/log-record.ts';
import { jobAttributes } from '../../functions/store/items.ts';
import { jobKey } from '../../functions/store/keys.ts';
import { changeDetail } from '../stack/events/transformation.ts';

/**
 * The event of a request that changed a status, without the members that EventBridge adds. Read from the job's item,
 * because the local table has no stream.
 * @returns undefined if the item already has a later change, or if the log line has a hash in place of the job's id or
 *   tenant.
 */
export async function changeEvent(
  client: DynamoDBClient,
  TableName: string,
  { status_changed_to, tenant = '', job_id = '', invocation_id }: LogRecord,
) {
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
