import { type Key, parseKey } from '../../../functions/store/keys.ts';
import { quoted } from './output.ts';

/** Returns what an operator is told of an item: its ids, or its key if the service does not write such keys. */
export function nameOfItem({ pk, sk }: Key): string {
  const parts = parseKey({ pk, sk });
  if (parts === undefined) return `item with the malformed key ${quoted({ pk, sk })}`;
  const of = `of tenant ${quoted(parts.tenant)}`;
  if (parts.kind === 'erasure') return `erasure of candidate ${quoted(parts.candidate)} ${of}`;
  const job = `job ${quoted(parts.job)} ${of}`;
  return parts.kind === 'job' ? job : `candidate ${quoted(parts.candidate)}, ${job}`;
}
