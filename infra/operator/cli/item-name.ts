import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { type Key, keyAttributes, parseKey } from '../../../functions/store/keys.ts';
import { quoted } from './output.ts';

/** Returns an item's name for the operator: its ids, or its key if the key is malformed. */
export function nameOfItem({ pk, sk }: Key): string {
  const parts = parseKey({ pk, sk });
  if (parts === undefined) return `item with the malformed key ${quoted({ pk, sk })}`;
  const of = `of tenant ${quoted(parts.tenant)}`;
  if (parts.kind === 'erasure') return `erasure of candidate ${quoted(parts.candidate)} ${of}`;
  const job = `job ${quoted(parts.job)} ${of}`;
  return parts.kind === 'job' ? job : `candidate ${quoted(parts.candidate)}, ${job}`;
}

/** The names of all attributes that a tombstone may have. */
const TOMBSTONE: readonly string[] = [
  ...Object.values(keyAttributes),
  ...Object.values(revisionAttributes),
];

/** Returns whether an item is a removed application's tombstone and has no other attributes. */
export const isTombstone = (item: Item) =>
  item[revisionAttributes.removed] === true &&
  Object.keys(item).every((name) => TOMBSTONE.includes(name));
