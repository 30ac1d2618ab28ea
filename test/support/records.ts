import { Readable } from 'node:stream';
import type { Table } from '../../infra/commands/cli/table.ts';
import { BatchWriter } from '../../infra/commands/import/batch-writer.ts';
import {
  type ImportOptions,
  importRecords,
  newProgress,
} from '../../infra/commands/import/import-records.ts';
import { leastApplication } from './items.ts';

type Members = Readonly<Record<string, unknown>>;

/** A record of a job, as a file to import has it. */
export const jobRecord = (members: Members = {}) => ({
  type: 'job',
  id: '4007',
  status: 'draft',
  ...members,
});

/** A record of an application with no more than it needs. */
export const applicationRecord = (members: Members = {}) => ({
  type: 'application',
  job_id: '4007',
  ...leastApplication,
  ...members,
});

export const jobLine = (id: string, status = 'draft') => JSON.stringify(jobRecord({ id, status }));

export const applicationLine = (user_id: string, members: Members = {}) =>
  JSON.stringify(applicationRecord({ user_id, ...members }));

/** Lines of as many jobs, from `j-0` on. */
export const jobLines = (count: number) =>
  Array.from({ length: count }, (_, at) => jobLine(`j-${at}`));

/** A file of these lines, in one chunk. */
export const streamOf = (...lines: string[]) => Readable.from([Buffer.from(lines.join('\n'))]);

/** Imports into the table, whatever files the lines name, and gives the counts and what was refused. */
export async function load(table: Table, input: Readable, options: Partial<ImportOptions> = {}) {
  const refused: [line: number, reason: string][] = [];
  const onRefused = (line: number, reason: string) => refused.push([line, reason]);
  const { progress = newProgress() } = options;
  const writer = new BatchWriter(table, progress, options.signal);
  const checkFile = () => undefined;
  await importRecords({ input, writer, onRefused, checkFile, ...options, progress });
  const { line: _, ...counts } = progress;
  return { counts, refused };
}
