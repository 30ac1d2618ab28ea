import { Application } from '../../../functions/domain/application.ts';
import type { Item } from '../../../functions/store/items.ts';
import { attributes, candidateIndex, jobOf } from '../../../functions/store/keys.ts';
import type { Table } from '../cli/table.ts';
import {
  type Candidate,
  findApplications,
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
 * Each has the fields of the contract in its order, and after them everything else that is stored.
 */
export async function exportCandidate(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
) {
  const exported_at = new Date().toISOString();
  const applications: Readonly<Record<string, unknown>>[] = [];
  for (const key of await findApplications(table, candidate, search, signal)) {
    signal?.throwIfAborted();
    const item = await readApplication(table, key);
    if (item !== undefined) applications.push(exported(item));
  }
  return { tenant: candidate.tenant, candidate_id: candidate.id, exported_at, applications };
}

function exported(item: Item): Record<string, unknown> {
  const contract = Object.fromEntries(
    Object.entries(Application.properties).map(([name, { type }]) => [
      name,
      item[name] ?? (type === 'array' ? [] : null),
    ]),
  );
  const stored = Object.fromEntries(Object.entries(item).filter(([name]) => !KEYS.includes(name)));
  // The contract's fields come first for their order, and last for their nulls.
  return { job_id: jobOf(item), ...contract, ...stored, ...contract };
}
