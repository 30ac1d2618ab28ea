import { jobAttributes, revisionAttributes } from '../../../functions/store/items.ts';
import { candidateIndex } from '../../../functions/store/keys.ts';
import {
  createJobItem,
  putApplicationItem,
  putTombstone,
  storeErasure,
} from '../records/conditional-writes.ts';
import { inParallel } from '../records/in-parallel.ts';
import type { RecordItem } from '../records/records.ts';
import type { Table } from '../records/table.ts';
import { ItemTooLarge, type Stored } from '../records/transaction.ts';
import { replaceJob } from './replace-job.ts';

const { status } = jobAttributes;
const { revision } = revisionAttributes;

/** Long, because the table may be throttled, or live writers may be busy with the same candidates. */
const LIMIT = { repeatMs: 30_000 };

export type LineRecord = RecordItem & { line: number; bytes: Buffer };

/**
 * `unordered`: the application has no revision to compare with what is stored or with the candidate's erasure.
 * `otherStatus`: the stored job has another status, and keeps it. `checked`: valid, in a dry run.
 *
 * Only with `isState`, and not written: `unchanged` (stored already), `expired`, `repeated`.
 */
export type Outcome =
  | 'stored'
  | 'unchanged'
  | 'expired'
  | 'repeated'
  | 'older'
  | 'erased'
  | 'unordered'
  | 'otherStatus'
  | 'tooLarge'
  | 'checked';

export interface Detail {
  /** Erasure that blocked the application. */
  erasure?: Stored;
  /** With `repeated`, if the writer knows it. */
  firstLine?: number;
}

/** No two records may have the same key. After a failure, stops sending requests and waits for those under way. */
export type WriteBlock = (
  records: readonly LineRecord[],
  onDone: (record: LineRecord, outcome: Outcome, detail?: Detail) => void,
) => Promise<void>;

export interface ImportBlockOptions {
  /** Overwrites newer data and existing jobs. */
  replaces?: boolean;
  /**
   * The records are a source's whole state, which shows only that an application still exists there. To be stored
   * despite an erasure, its `created_at` must be later than the erasure too.
   */
  isState?: boolean;
  /** DynamoDB's time, in milliseconds since 1970. */
  clock?: () => number;
}

/**
 * Writes erasures first, so that they count for all applications of the block. Writes one candidate's applications in
 * turn: parallel checks of the same erasure would conflict.
 */
export function importBlock(table: Table, options: ImportBlockOptions = {}): WriteBlock {
  return async (records, onDone) => {
    const write = async (sequence: readonly LineRecord[]) => {
      for (const record of sequence) {
        const { outcome, ...detail } = await writeRecord(table, record, options);
        onDone(record, outcome, detail);
      }
    };
    const { erasure = [], other = [] } = Object.groupBy(records, ({ kind }) =>
      kind === 'erasure' ? kind : 'other',
    );
    const sequences = Map.groupBy(other, ({ item }) => item[candidateIndex.partitionKey] ?? item);
    await inParallel(
      erasure.map((record) => [record]),
      write,
    );
    await inParallel(sequences.values(), write);
  };
}

async function writeRecord(
  table: Table,
  record: LineRecord,
  { replaces = false, isState = false, clock = Date.now }: ImportBlockOptions,
): Promise<{ outcome: Outcome } & Detail> {
  const { kind, item, line } = record;
  if (kind === 'erasure') {
    const stored = await storeErasure(table, item);
    return { outcome: stored > Number(item[revision]) ? 'older' : 'stored' };
  }
  if (kind === 'removal') {
    return { outcome: await putTombstone(table, item, { replaces, limit: LIMIT }) };
  }
  if (kind === 'application') {
    const madeAt = isState
      ? Math.min(Date.parse(String(item.created_at)), Number(item[revision]))
      : undefined;
    const options = { replaces, madeAt, limit: LIMIT };
    return putApplicationItem(table, record, options).catch((error) => {
      if (error instanceof ItemTooLarge) return { outcome: 'tooLarge' };
      throw error;
    });
  }
  if (replaces) {
    await replaceJob(table, item, { line, now: clock(), limit: LIMIT });
    return { outcome: 'stored' };
  }
  const { [status]: stored = item[status] } = (await createJobItem(table, item, LIMIT)) ?? {};
  return { outcome: stored === item[status] ? 'stored' : 'otherStatus' };
}

/** Unique, because neither part can contain a space. */
export const keyOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }) =>
  `${pk} ${sk}`;
