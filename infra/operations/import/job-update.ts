import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, jobAttributes } from '../../../functions/store/items.ts';

/**
 * The update that writes the imported job `item`, whether it exists or not. An existing job keeps its
 * fence and `last_change_id`, so that a late attempt of a request cannot change it a second time, and its
 * version grows by one. It loses what describes its last change: without `previous_status` the pipe
 * makes no event of the update.
 */
export function jobUpdate(tableName: string, { pk, sk, ...item }: Item): UpdateCommand {
  const { tenant, job, status, version, previousStatus, changedAt, changedBy, actor } =
    jobAttributes;
  return new UpdateCommand({
    TableName: tableName,
    Key: { pk, sk },
    UpdateExpression:
      `SET ${tenant} = :tenant, ${job} = :job, #status = :status, ` +
      `${version} = if_not_exists(${version}, :zero) + :one ` +
      `REMOVE ${previousStatus}, ${changedAt}, ${changedBy}, ${actor}`,
    ExpressionAttributeNames: { '#status': status },
    ExpressionAttributeValues: {
      ':tenant': item[tenant],
      ':job': item[job],
      ':status': item[status],
      ':zero': 0,
      ':one': 1,
    },
  });
}
