import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { type Key, keyAttributes, parseKey } from '../../../functions/store/keys.ts';
import { quoted } from '../../command/output.ts';

export function nameOfItem({ pk, sk }: Key): string {
  const parts = parseKey({ pk, sk });
  if (parts === undefined) return `item with the malformed key ${quoted({ pk, sk })}`;
  const of = `of tenant ${quoted(parts.tenant)}`;
  if (parts.kind === 'erasure') return `erasure of candidate ${quoted(parts.candidate)} ${of}`;
  const job = `job ${quoted(parts.job)} ${of}`;
  return parts.kind === 'job' ? job : `candidate ${quoted(parts.candidate)}, ${job}`;
}

const TOMBSTONE: readonly string[] = [
  ...Object.values(keyAttributes),
  ...Object.values(revisionAttributes),
];

/** A removed item with further attributes may hold personal data, so it counts as an application. */
export const isTombstone = (item: Item) =>
  item[revisionAttributes.removed] === true &&
  Object.keys(item).every((name) => TOMBSTONE.includes(name));
