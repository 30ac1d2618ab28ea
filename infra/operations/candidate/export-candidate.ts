import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Application } from '../../../functions/domain/application.ts';
import { attributes, candidateIndex, jobOf, type Key } from '../../../functions/store/keys.ts';
import type { Table } from '../../cli/table.ts';
import { type Candidate, findApplications, type Search } from './find-applications.ts';

/** Left out, because they only repeat other members. */
const KEYS: readonly string[] = [
  attributes.partitionKey,
  attributes.sortKey,
  candidateIndex.partitionKey,
];

/** All that is stored of a candidate. */
export interface CandidateExport {
  tenant: string;
  candidate_id: string;
  /** When it was read: ISO 8601 in UTC. */
  exported_at: string;
  applications: object[];
}

/**
 * Reads all applications of a candidate, each consistently; expired ones too, while they are stored.
 * Each has the fields of the contract in its order, and after them everything else that is stored.
 */
export async function exportCandidate(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
): Promise<CandidateExport> {
  const exported_at = new Date().toISOString();
  const applications: object[] = [];
  for (const { pk, sk } of await findApplications(table, candidate, search, signal)) {
    signal?.throwIfAborted();
    const { Item: item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: { pk, sk }, ConsistentRead: true }),
    );
    // The index may still list an application that is gone.
    if (item !== undefined) applications.push(exported({ pk, sk }, item));
  }
  return { tenant: candidate.tenant, candidate_id: candidate.id, exported_at, applications };
}

function exported(key: Key, item: Readonly<Record<string, unknown>>): object {
  const contract = Object.fromEntries(
    Object.entries(Application.properties).map(([name, { type }]) => [
      name,
      item[name] ?? (type === 'array' ? [] : null),
    ]),
  );
  const stored = Object.fromEntries(Object.entries(item).filter(([name]) => !KEYS.includes(name)));
  // The contract's fields come first for their order, and last for their nulls.
  return { job_id: jobOf(key), ...contract, ...stored, ...contract };
}
