import { jobAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { candidateIndex } from '../../functions/store/keys.ts';
import {
  createJobItem,
  notErased,
  overApplication,
  putApplicationItem,
  putTombstone,
  storeErasure,
} from './conditional-writes.ts';
import { inParallel } from './in-parallel.ts';
import type { RecordItem } from './records.ts';
import { replaceJob } from './replace-job.ts';
import type { Table } from './table.ts';
import { ItemTooLarge, put, transact } from './transaction.ts';

const { status } = jobAttributes;
const { revision } = revisionAttributes;

/** With a check for each, 50 actions; a transaction may have 100. */
const GROUP_RECORDS = 25;
/** Of lines. An item may be larger than its line, and a transaction may have 4 MB. */
const GROUP_BYTES = 1024 * 1024;
/** The table may be throttled, or live writers busy with the same candidates. */
const LIMIT = { repeatMs: 30_000 };

export type LineRecord = RecordItem & { line: number; bytes: Buffer };

/**
 * `unordered`: the application has no revision, but what is stored or the candidate's erasure has one. `otherStatus`:
 * the stored job has another status, and stays. `checked`: valid, and not written.
 */
export type Outcome =
  | 'stored'
  | 'older'
  | 'erased'
  | 'unordered'
  | 'otherStatus'
  | 'tooLarge'
  | 'checked';

/** No two records may have the same key. After a failure, begins no more requests and waits for those under way. */
export type WriteBlock = (
  records: readonly LineRecord[],
  onDone: (record: LineRecord, outcome: Outcome) => void,
) => Promise<void>;

export interface ImportBlockOptions {
  /** Overwrites newer data and existing jobs. */
  replaces?: boolean;
  /** DynamoDB's time, in milliseconds since 1970. */
  clock?: () => number;
}

/** Erasures come first, so that they count for all applications of the block. */
export function importBlock(table: Table, options: ImportBlockOptions = {}): WriteBlock {
  return async (records, onDone) => {
    const write = async (groups: readonly Group[]) => {
      for (const group of groups) {
        const isStored = group.length > 1 && (await isStoredTogether(table, group, options));
        // One refused record keeps back its whole group.
        for (const record of group) {
          onDone(record, isStored ? 'stored' : await writeRecord(table, record, options));
        }
      }
    };
    const alone = (...kinds: LineRecord['kind'][]) =>
      records.filter(({ kind }) => kinds.includes(kind)).map((record) => [[record]]);
    const applications = records.filter(({ kind }) => kind === 'application');
    await inParallel(alone('erasure'), write);
    await inParallel([...sequencesOf(applications), ...alone('job', 'removal')], write);
  };
}

async function writeRecord(
  table: Table,
  record: LineRecord,
  { replaces = false, clock = Date.now }: ImportBlockOptions,
): Promise<Outcome> {
  const { kind, item, line } = record;
  if (kind === 'erasure') {
    const stored = await storeErasure(table, item);
    return stored > Number(item[revision]) ? 'older' : 'stored';
  }
  if (kind === 'removal') return putTombstone(table, item, { replaces, limit: LIMIT });
  if (kind === 'application') {
    return putApplicationItem(table, record, { replaces, limit: LIMIT }).catch((error) => {
      if (error instanceof ItemTooLarge) return 'tooLarge';
      throw error;
    });
  }
  if (replaces) {
    await replaceJob(table, item, { line, now: clock(), limit: LIMIT });
    return 'stored';
  }
  const { [status]: stored = item[status] } = (await createJobItem(table, item, LIMIT)) ?? {};
  return stored === item[status] ? 'stored' : 'otherStatus';
}

/** False if a condition refuses one of the records, or if DynamoDB finds the transaction too large. */
async function isStoredTogether(
  table: Table,
  group: Group,
  { replaces = false }: ImportBlockOptions,
): Promise<boolean> {
  const checks = candidatesOf(group).map((own) =>
    notErased(
      table.name,
      own.map(({ item }) => item),
    ),
  );
  const writes = group.map((record) =>
    replaces ? put(table.name, record.item) : overApplication(table.name, record),
  );
  try {
    return (await transact(table, [...checks, ...writes], LIMIT)) === undefined;
  } catch (error) {
    if (error instanceof ItemTooLarge) return false;
    if (error instanceof Error && error.name === 'ValidationException') return false;
    throw error;
  }
}

type Group = readonly LineRecord[];

/**
 * The groups of a sequence are written one after the other, and all of a candidate are in one sequence, because checks
 * of one erasure at the same time conflict.
 */
function sequencesOf(records: Group): Group[][] {
  const sequences: LineRecord[][][] = [];
  for (const own of candidatesOf(records)) {
    const last = sequences.at(-1)?.at(-1);
    if (last && isGroup([...last, ...own])) last.push(...own);
    else sequences.push(groupsOf(own));
  }
  return sequences;
}

const candidatesOf = (records: Group): Group[] => [
  ...Map.groupBy(records, ({ item }) => item[candidateIndex.partitionKey]).values(),
];

function groupsOf(records: Group): LineRecord[][] {
  const groups: LineRecord[][] = [];
  for (const record of records) {
    const last = groups.at(-1);
    if (last && isGroup([...last, record])) last.push(record);
    else groups.push([record]);
  }
  return groups;
}

/**
 * A refused group is tried again record by record, while one of its attempts may be late. So either all of its records
 * have a revision, or none: what refuses a record without one does not pass, and the late attempt is refused too.
 */
const isGroup = (records: Group) =>
  records.length <= GROUP_RECORDS &&
  new Set(records.map(({ item }) => item[revision] === undefined)).size <= 1 &&
  records.reduce((sum, { bytes }) => sum + bytes.length, 0) <= GROUP_BYTES;

/** Unique, because neither part can contain a space. */
export const keyOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }) =>
  `${pk} ${sk}`;
