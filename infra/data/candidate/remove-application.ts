import { fileAttributes, type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { keyAttributes } from '../../../functions/store/keys.ts';
import type { Table } from '../records/table.ts';
import { remove, transact } from '../records/transaction.ts';
import { revisionOf } from './start-erasure.ts';

/**
 * Removes the application, unless a writer has changed its files or revision since it was read: the erasure log does
 * not name the new files, and the new revision may be later than the erasure. The next search finds it again.
 * @returns whether this call removed the application.
 */
export async function removeUnchanged(table: Table, item: Item): Promise<boolean> {
  const refused = await transact(table, [remove(table.name, item, unchanged(item))]);
  return refused === undefined;
}

/**
 * This condition holds as long as the files and the revision are as read. Compares only strings and a valid revision:
 * the SDK may send other values differently from how DynamoDB stores them, so for those it checks only that they have
 * not become strings. The key comes first, so that `transact` knows that the item may be gone.
 */
export function unchanged(item: Item) {
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
