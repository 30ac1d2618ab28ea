import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, jobAttributes } from '../../../functions/store/items.ts';
import { attributes } from '../../../functions/store/keys.ts';
import type { Table } from '../../cli/table.ts';

const { tenant, job, status, version, previousStatus, changedAt, changedBy, actor } = jobAttributes;

/**
 * Writes the imported job `item`, whether it exists or not. An existing job keeps its fence and
 * `last_change_id`, so that a late attempt of a request cannot change it a second time, and its version
 * grows by one. It loses what describes its last change: without `previous_status` the pipe makes no
 * event of the update. The history that `item` may have is stored only if there is no such job; a job
 * that is already stored like that stays as it is, so a retry after a lost response changes nothing.
 */
export async function writeJob(table: Table, item: Item): Promise<void> {
  if (await create(table, item)) return;
  const { pk, sk, ...members } = item;
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { pk, sk },
      UpdateExpression:
        `SET ${tenant} = :tenant, ${job} = :job, #status = :status, ` +
        `${version} = if_not_exists(${version}, :zero) + :one ` +
        `REMOVE ${previousStatus}, ${changedAt}, ${changedBy}, ${actor}`,
      ExpressionAttributeNames: { '#status': status },
      ExpressionAttributeValues: {
        ':tenant': members[tenant],
        ':job': members[job],
        ':status': members[status],
        ':zero': 0,
        ':one': 1,
      },
    }),
  );
}

/** Stores a new job, with its history; returns whether it is stored now. */
async function create({ client, name }: Table, { pk, sk, ...members }: Item): Promise<boolean> {
  const entries = Object.entries(members);
  const update = new UpdateCommand({
    TableName: name,
    Key: { pk, sk },
    UpdateExpression: `SET ${entries.map((_, at) => `#${at} = :${at}`).join(', ')}`,
    ConditionExpression: `attribute_not_exists(${attributes.partitionKey})`,
    ExpressionAttributeNames: Object.fromEntries(entries.map(([key], at) => [`#${at}`, key])),
    ExpressionAttributeValues: Object.fromEntries(
      entries.map(([, value], at) => [`:${at}`, value]),
    ),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await client.send(update);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // An attempt whose response was lost, or an earlier import, may have stored it.
    const stored = error.Item && unmarshall(error.Item, { wrapNumbers: Number });
    return isDeepStrictEqual(stored, { pk, sk, ...members });
  }
}
