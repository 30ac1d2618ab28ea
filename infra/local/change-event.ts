import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { decodeJwt } from 'jose';
import { jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import { updateJobStatus } from '../../functions/contract/update-job-status.ts';
import { isRecord } from '../../functions/domain/record.ts';
import { jobAttributes } from '../../functions/store/items.ts';
import { jobKey } from '../../functions/store/keys.ts';
import { changeDetail } from '../stack/events/transformation.ts';
import { TENANT_CLAIM } from './issuer.ts';
import type { Returned } from './local-function.ts';

const ROUTE_KEY = `${updateJobStatus.method} ${updateJobStatus.path}`;

/**
 * The event of the change that an invocation has made, as a subscriber gets it, without the members that
 * EventBridge adds; undefined if it changed nothing. It comes from the job's item, because the local table
 * has no stream: a change that another one overtakes before this reads the item has no event.
 */
export async function changeEvent(
  client: DynamoDBClient,
  tableName: string,
  { event, requestId, result }: Returned,
) {
  if (event.routeKey !== ROUTE_KEY || !isRecord(result) || result.statusCode !== 200) return;
  const token = event.headers.authorization?.split(' ').at(-1) ?? '';
  const { [TENANT_CLAIM]: tenant } = decodeJwt(token);
  const Key = marshall(jobKey(String(tenant), event.pathParameters?.id ?? ''));
  const { Item: item } = await client.send(
    new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }),
  );
  if (item?.[jobAttributes.changeId]?.S !== requestId) return;
  const { [jobAttributes.previousStatus]: status } = item;
  const detail = changeDetail({
    dynamodb: { OldImage: { [jobAttributes.status]: status }, NewImage: item },
  });
  return { source: jobStatusChanged.source, 'detail-type': jobStatusChanged.type, detail };
}
