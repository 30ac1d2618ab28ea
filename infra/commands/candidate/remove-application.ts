import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { fileAttributes, type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { attributes } from '../../../functions/store/keys.ts';
import type { Table } from '../cli/table.ts';
import { revisionOf } from './record-erasure.ts';

/**
 * Removes an application unless another writer has changed its files or its revision since `item` was read. A changed
 * application stays for the next search, because the erasure log does not name its new files, and its new revision may
 * be later than the erasure. Changes to other attributes do not matter.
 * @returns whether this call removed the application.
 */
export async function removeUnchanged({ client, name }: Table, item: Item): Promise<boolean> {
  try {
    await client.send(
      new DeleteCommand({
        TableName: name,
        Key: { pk: item.pk, sk: item.sk },
        ...unchanged(item),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // If the SDK retried after a lost response and the application is gone, the first attempt most likely removed it.
    const { attempts = 1 } = error.$metadata;
    return error.Item === undefined && attempts > 1;
  }
}

/**
 * Returns the condition that the application exists, and that its files and its revision are as they were read. If a
 * value is neither a string nor a valid revision, the condition requires only that the stored value is not a string
 * either, because the SDK may send the value in another form than DynamoDB stores.
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
