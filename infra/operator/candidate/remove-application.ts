import { fileAttributes, type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { keyAttributes } from '../../../functions/store/keys.ts';
import type { Table } from '../../records/table.ts';
import { deleteIf } from '../../records/write-if.ts';
import { revisionOf } from './record-erasure.ts';

/**
 * Unless another writer has changed its files or its revision since `item` was read. It then stays for the next search,
 * because the erasure log does not name the new files, and the new revision may be later than the erasure.
 * @returns whether this call removed the application.
 */
export const removeUnchanged = (table: Table, item: Item): Promise<boolean> =>
  deleteIf(table, item, unchanged(item));

/**
 * Compares only strings and a valid revision. DynamoDB may store any other value in another form than the SDK would
 * send, so it must just not have become a string.
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
