import { fileAttributes, type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { keyAttributes } from '../../../functions/store/keys.ts';
import type { Table } from '../../records/table.ts';
import { deleteIf } from '../../records/write-if.ts';
import { revisionOf } from './record-erasure.ts';

/**
 * Removes an application unless another writer has changed its files or its revision since `item` was read. A changed
 * application stays for the next search, because the erasure log does not name its new files, and its new revision may
 * be later than the erasure. Changes to other attributes do not matter.
 * @returns whether this call removed the application.
 */
export const removeUnchanged = (table: Table, item: Item): Promise<boolean> =>
  deleteIf(table, item, unchanged(item));

/**
 * Returns the condition that the application exists, and that its files and its revision are as they were read. If a
 * value is neither a string nor a valid revision, the condition requires only that the stored value is not a string
 * either, because the SDK may send the value in another form than DynamoDB stores.
 */
function unchanged(item: Item) {
  const { revision } = revisionAttributes;
  const values: Record<string, unknown> = {};
  const conditions = [keyAttributes.partitionKey, ...fileAttributes, revision].map((name) => {
    if (item[name] === undefined) return `attribute_not_exists(#${name})`;
    const isCompared =
      typeof item[name] === 'string' || (name === revision && revisionOf(item) !== undefined);
    values[name] = isCompared ? item[name] : 'S';
    return isCompared ? `#${name} = :${name}` : `NOT attribute_type(#${name}, :${name})`;
  });
  return { condition: conditions.join(' AND '), values };
}
