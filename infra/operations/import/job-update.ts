import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { LAST_COUNT } from '../../../functions/domain/job.ts';
import { type Item, jobAttributes } from '../../../functions/store/items.ts';
import { attributes } from '../../../functions/store/keys.ts';
import { ReportableError } from '../../cli/failure.ts';
import type { Table } from '../../cli/table.ts';

const { tenant, job, status, version, fence, previousStatus, changedAt, changedBy, actor } =
  jobAttributes;

/** The stored job has a version or a fence that cannot be counted, so that no request can change it either. */
export class UncountableJob extends ReportableError {
  override readonly name = 'UncountableJob';

  constructor(line: number, cause?: unknown) {
    super(
      `The stored job of line ${line} has a version or a fence that cannot be counted: repair it as in ` +
        'docs/data.md, "A job that cannot be counted".',
      { cause },
    );
  }
}

/**
 * Writes the imported job `item`, whether it exists or not. An existing job keeps its fence and
 * `last_change_id`, so that a late attempt of a request cannot change it a second time, and its version
 * grows. It loses what describes its last change: without `previous_status` the pipe makes no
 * event of the update. The history that `item` may have is stored only if there is no such job; a job
 * that is already stored like that stays as it is, so a retry after a lost response changes nothing.
 * @throws UncountableJob, which names the `line`
 */
export async function writeJob(table: Table, item: Item, line: number): Promise<void> {
  if (await create(table, item)) return;
  const { pk, sk, ...members } = item;
  const update = new UpdateCommand({
    TableName: table.name,
    Key: { pk, sk },
    UpdateExpression:
      `SET ${tenant} = :tenant, ${job} = :job, #status = :status, ` +
      `${version} = if_not_exists(${version}, :zero) + :one ` +
      `REMOVE ${previousStatus}, ${changedAt}, ${changedBy}, ${actor}`,
    ConditionExpression:
      `(attribute_not_exists(${version}) OR ${version} BETWEEN :zero AND :last) ` +
      `AND (attribute_not_exists(${fence}) OR ${fence} <= :last)`,
    ExpressionAttributeNames: { '#status': status },
    ExpressionAttributeValues: {
      ':tenant': members[tenant],
      ':job': members[job],
      ':status': members[status],
      ':zero': 0,
      ':one': 1,
      ':last': LAST_COUNT,
    },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes: written } = await table.client.send(update).catch((error) => {
    if (error instanceof ConditionalCheckFailedException) throw new UncountableJob(line, error);
    throw error;
  });
  // No condition of DynamoDB can tell a fraction.
  if (!Number.isInteger(written?.[version])) throw new UncountableJob(line);
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
