import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import type { LogRecord } from '../../functions/contract/log-record.ts';
import { jobAttributes } from '../../functions/store/items.ts';
import { jobKey } from '../../functions/store/keys.ts';
import { changeDetail } from '../stack/events/transformation.ts';

/**
 * A status change's event, without the members that EventBridge adds. The local table has no stream, so the event is
 * rebuilt from the job's item.
 * @returns undefined if the item has changed again since, or if the log line hashes the job's id or tenant.
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
