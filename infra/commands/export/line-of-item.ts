import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../functions/domain/record.ts';
import { type Item, itemAttributes } from '../../../functions/store/items.ts';
import {
  applicationKeyPrefix,
  candidateIndex,
  jobKey,
  jobOf,
  tenantOf,
} from '../../../functions/store/keys.ts';
import { readRecord, withoutNulls } from '../import/records.ts';

const quoted = (id: string) => JSON.stringify(id);

/**
 * The line from which an import makes the item. It has every attribute, even one that the import refuses.
 * @returns its text without the newline; its ids, as the `name` for the operator; the `difference`, which is why an
 *   import would not store the same item, or undefined if it would. Undefined if the item is neither a
 *   job nor an application.
 */
export function lineOf(item: Item) {
  const [tenant, job] = [tenantOf(item), jobOf(item)];
  const where = `job ${quoted(job)} of tenant ${quoted(tenant)}`;
  if (item.sk === jobKey('', '').sk) {
    const { pk, sk, [itemAttributes.tenant]: _, [itemAttributes.job]: __, ...members } = item;
    const record = { type: 'job', tenant, id: job, ...inOrder(members) };
    return { kind: 'job' as const, name: where, ...checked(item, record) };
  }
  const prefix = applicationKeyPrefix('').sk;
  if (!item.sk.startsWith(prefix)) return undefined;
  const { pk, sk, [itemAttributes.tenant]: _, ...rest } = item;
  const { [candidateIndex.partitionKey]: indexed, ...members } = rest;
  const mark = indexed === undefined && { indexed: false };
  const record = { type: 'application', tenant, job_id: job, ...inOrder(members), ...mark };
  const candidate = decodeURIComponent(item.sk.slice(prefix.length));
  const name = `candidate ${quoted(candidate)}, ${where}`;
  return { kind: 'application' as const, name, ...checked(item, record) };
}

const inOrder = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** The text of a record, and how what an import would store of it differs from the item. */
function checked(item: Item, record: object) {
  // The members of each object below the record in one order: DynamoDB has none.
  const text = JSON.stringify(record, (key, value) =>
    key !== '' && isRecord(value) ? inOrder(value) : value,
  );
  // The bucket is that of the deployment to import into.
  const read = readRecord(Buffer.from(text), { checkFile: () => undefined });
  if (read === undefined || 'reason' in read) {
    return { text, difference: `the import refuses it: ${read?.reason}` };
  }
  // A missing attribute is the same as a null.
  const stored = withoutNulls(item);
  const names = new Set([...Object.keys(stored), ...Object.keys(read.item)]);
  const different = [...names].filter((name) => !isDeepStrictEqual(stored[name], read.item[name]));
  if (different.length === 0) return { text, difference: undefined };
  return { text, difference: `the import stores it with other values of ${different.join(', ')}` };
}
