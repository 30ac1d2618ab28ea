import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { fileAttributes, type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { attributes } from '../../../functions/store/keys.ts';
import type { Table } from '../cli/table.ts';
import { revisionOf } from './record-erasure.ts';

/** The result for an application: removed, already gone, or left because another writer changed it. */
export type Outcome = 'removed' | 'gone' | 'changed';

/**
 * Removes an application whatever its attributes are, unless another writer has changed its files or its revision
 * since `item` was read. A changed application stays for the next search: nobody has recorded its new files, and
 * its revision may be later than the erasure.
 */
export async function removeUnchanged({ client, name }: Table, item: Item): Promise<Outcome> {
  try {
    await client.send(
      new DeleteCommand({
        TableName: name,
        Key: { pk: item.pk, sk: item.sk },
        ...unchanged(item),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return 'removed';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item !== undefined) return 'changed';
    // If the SDK retried after a lost response, the first attempt most likely removed the application.
    const { attempts = 1 } = error.$metadata;
    return attempts > 1 ? 'removed' : 'gone';
  }
}

/**
 * Returns the condition that the application exists, and that its files and its revision are as they were read. A
 * value that is not a string or a revision is only compared by its type, because the SDK may send it in another
 * form than DynamoDB stores.
 */
function unchanged(item: Item) {
  const { revision } = revisionAttributes;
  const names = [attributes.partitionKey, ...fileAttributes, revision];
  const values: Record<string, unknown> = {};
  const conditions = names.map((name) => {
    if (item[name] === undefined) return `attribute_not_exists(#${name})`;
    const isCompared =
      typeof item[name] === 'string' || (name === revision && revisionOf(item) !== undefined);
    values[`:${name}`] = isCompared ? item[name] : 'S';
    return isCompared ? `#${name} = :${name}` : `NOT attribute_type(#${name}, :${name})`;
  });
  return {
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: values,
  };
}
