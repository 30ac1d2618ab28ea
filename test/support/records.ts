import { Readable } from 'node:stream';
import { type ImportBlockOptions, importBlock } from '../../infra/data/import/import-block.ts';
import {
  type Entry,
  type ImportOptions,
  importRecords,
  zeroCounts,
} from '../../infra/data/import/import-records.ts';
import type { Table } from '../../infra/data/records/table.ts';
import { leastApplication } from './items.ts';

type Overrides = Readonly<Record<string, unknown>>;

export const applicationRecord = (members: Overrides = {}) => ({
  type: 'application',
  job_id: '4007',
  ...leastApplication,
  ...members,
});

export const jobLine = (id: string, status = 'draft') =>
  JSON.stringify({ type: 'job', id, status });

export const applicationLine = (user_id: string, members: Overrides = {}) =>
  JSON.stringify(applicationRecord({ user_id, ...members }));

export const jobLines = (count: number) =>
  Array.from({ length: count }, (_, at) => jobLine(`j-${at}`));

export const streamOf = (...lines: string[]) => Readable.from([Buffer.from(lines.join('\n'))]);

/** Also returns the refused lines. */
export async function load(
  table: Table,
  input: Readable,
  options: Partial<ImportOptions> & ImportBlockOptions = {},
) {
  const refused: [line: number, reason: string | undefined][] = [];
  const onEntry = ({ outcome, line, reason }: Entry) => {
    if (outcome === 'refused') refused.push([line, reason]);
  };
  const counts = zeroCounts();
  const write = importBlock(table, options);
  const checkFile = () => undefined;
  await importRecords({ input, write, counts, onEntry, checkFile, ...options });
  return { counts, refused };
}
