import { Application } from '../../../functions/domain/application.ts';
import type { Item } from '../../../functions/store/items.ts';
import { attributes, candidateIndex, type Key } from '../../../functions/store/keys.ts';
import { isTombstone } from '../cli/items.ts';
import type { Table } from '../cli/table.ts';
import {
  type Candidate,
  findApplications,
  isOwn,
  jobOf,
  readApplication,
  type Search,
} from './find-applications.ts';

/** Left out, because they only repeat other members. */
const KEYS: readonly string[] = [
  attributes.partitionKey,
  attributes.sortKey,
  candidateIndex.partitionKey,
];

/**
 * Reads all applications of a candidate, each consistently; expired ones too, while they are stored.
 * Each has the fields of the contract in its order, and after them everything else that is stored. One with a
 * malformed key has no job, and its key as `stored_key`.
 * @returns the document to export, and the keys of the items that are malformed or somebody else's; the latter
 *   are not in the document.
 */
export async function exportCandidate(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
) {
  const exported_at = new Date().toISOString();
  const applications: Readonly<Record<string, unknown>>[] = [];
  const malformed: Key[] = [];
  for (const key of await findApplications(table, candidate, search, signal)) {
    signal?.throwIfAborted();
    const item = await readApplication(table, key);
    if (item === undefined || isTombstone(item)) continue;
    const job = jobOf(candidate, key);
    if (job === undefined) malformed.push({ pk: key.pk, sk: key.sk });
    if (isOwn(candidate, item)) applications.push(exported(job, item));
  }
  const { tenant, id: candidate_id } = candidate;
  return { document: { tenant, candidate_id, exported_at, applications }, malformed };
}

function exported(job: string | undefined, item: Item): Record<string, unknown> {
  const contract = Object.fromEntries(
    Object.entries(Application.properties).map(([name, { type }]) => [
      name,
      item[name] ?? (type === 'array' ? [] : null),
    ]),
  );
  const stored = Object.fromEntries(Object.entries(item).filter(([name]) => !KEYS.includes(name)));
  const where =
    job === undefined
      ? { job_id: null, stored_key: { pk: item.pk, sk: item.sk } }
      : { job_id: job };
  // The contract's fields come first for their order, and last for their nulls.
  return { ...where, ...contract, ...stored, ...contract };
}
