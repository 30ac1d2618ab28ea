import { Application } from '../../../functions/domain/application.ts';
import { PRESIGNED_URL_MINUTES } from '../../../functions/domain/s3-uri.ts';
import type { Item } from '../../../functions/store/items.ts';
import { candidateIndex, type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { createFile } from '../../command/operator-files.ts';
import { escapeHidden, jsonValue, pluralize, writeFully } from '../../command/output.ts';
import type { CommandIo } from '../../command/run-command.ts';
import { readItem, type Table } from '../records/table.ts';
import { isTombstone, nameOfItem } from '../table/item-name.ts';
import { withTable } from '../table/with-table.ts';
import { type CandidateOptions, fileCommands, filesOf } from './candidate-files.ts';
import { skipped } from './erase-candidate.ts';
import {
  type Candidate,
  findApplications,
  isOwn,
  jobOf,
  NONE_FOUND,
  type Search,
} from './find-applications.ts';

export async function exportCandidate(
  options: CandidateOptions & { output?: string | undefined },
  io: CommandIo,
): Promise<undefined> {
  const { candidate, search, output, region } = options;
  const { document, skippedKeys, misnamedKeys } = await withTable(options, io, (table, signal) =>
    readDocument(table, candidate, search, signal),
  );
  const { applications } = document;
  for (const key of skippedKeys) io.stderr.write(`${skipped(nameOfItem(key), 'foreign')}\n`);
  for (const key of misnamedKeys) {
    io.stderr.write(`${nameOfItem(key)}: its key does not name an application of the candidate\n`);
  }
  if (applications.length === 0) throw new Error(`Nothing was exported. ${NONE_FOUND}`);
  const text = `${escapeHidden(JSON.stringify(document, (_, value) => jsonValue(value), 2))}\n`;
  if (output === undefined) {
    await writeFully(io.stdout, text);
  } else {
    await using file = await createFile(output, io);
    await file.writeFile(text);
  }
  const heading = `in S3. Each command prints a URL that expires after ${PRESIGNED_URL_MINUTES} minutes:`;
  const presignOptions = `--expires-in ${60 * PRESIGNED_URL_MINUTES}${region === undefined ? '' : ` --region ${region}`}`;
  const lines = [
    `${pluralize(applications.length, 'application')} exported.`,
    ...fileCommands(
      new Set(applications.flatMap(filesOf)),
      options,
      heading,
      (file) => `aws s3 presign ${file} ${presignOptions}`,
    ),
  ];
  io.stderr.write(`${lines.join('\n')}\n`);
  if (skippedKeys.length + misnamedKeys.length > 0)
    throw new Error('Check the items that are named above.');
}

/**
 * Includes expired applications.
 * @returns `skippedKeys`: somebody else's items. `misnamedKeys`: items that are the candidate's although their key does
 *   not say so; in the document, they have `stored_key` instead of a job.
 */
export async function readDocument(
  table: Table,
  candidate: Candidate,
  search: Search,
  signal?: AbortSignal,
) {
  const exported_at = new Date().toISOString();
  const applications: Readonly<Record<string, unknown>>[] = [];
  const skippedKeys: Key[] = [];
  const misnamedKeys: Key[] = [];
  for (const key of await findApplications(table, candidate, search, signal)) {
    signal?.throwIfAborted();
    const item = await readItem(table, key);
    if (item === undefined || isTombstone(item)) continue;
    const job = jobOf(candidate, key);
    if (!isOwn(candidate, item)) {
      skippedKeys.push(key);
      continue;
    }
    if (job === undefined) misnamedKeys.push(key);
    applications.push(exported(job, item));
  }
  const { tenant, id: candidate_id } = candidate;
  return {
    document: { tenant, candidate_id, exported_at, applications },
    skippedKeys,
    misnamedKeys,
  };
}

const KEYS: readonly string[] = [
  keyAttributes.partitionKey,
  keyAttributes.sortKey,
  candidateIndex.partitionKey,
];

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
  // The first `contract` sets the members' order. The second puts [] in place of a list that is stored as null.
  return { ...where, ...contract, ...stored, ...contract };
}
