import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { type Clock, systemClock } from '../../functions/platform/clock.ts';
import { itemAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { erasureKey, type Key } from '../../functions/store/keys.ts';
import { ConcurrencyLimit, MAX_REQUESTS } from './concurrency-limit.ts';
import {
  compareToErasure,
  createJobItem,
  putApplicationItem,
  removeApplicationItem,
  storeErasure,
} from './conditional-writes.ts';
import { writeJob } from './job-update.ts';
import type { StoredRecord } from './records.ts';
import { responseTime } from './response-time.ts';
import type { Table } from './table.ts';
import {
  limitAttempts,
  startWriteLimit,
  type WriteLimit,
  WriteTooLate,
  withinLimit,
} from './write-limit.ts';

const { revision } = revisionAttributes;

/** The maximum number of items in a request (DynamoDB API Reference, BatchWriteItem). */
const BATCH_ITEMS = 25;
/** The maximum number of keys in a request (DynamoDB API Reference, BatchGetItem). */
const BATCH_KEYS = 100;
/** How often in a row the time limit may pass before anything is written: half a minute, as long as a request is retried. */
const MAX_STALLED = 6;

/** A record with its line and the number of the line. */
export type LineRecord = StoredRecord & { line: number; bytes: Buffer };

/**
 * `older`: something newer is stored. `erased`: the candidate was erased, and the record is older or has no revision.
 * `ahead`: the candidate was erased, and the record's revision is ahead of DynamoDB's time.
 */
export type Outcome = 'written' | 'older' | 'erased' | 'ahead';

/**
 * Writes records of which no two have the same key, and calls `onDone` for each. After a failure, begins no more
 * requests, and waits for those under way.
 */
export type WriteBlock = (
  records: readonly LineRecord[],
  onDone: (record: LineRecord, outcome: Outcome) => void,
) => Promise<void>;

export interface WriterOptions {
  /** Writes each record by a request of its own, unless something newer is stored. An existing job then stays. */
  keepsNewer?: boolean;
  /** Ends the retries of the items that DynamoDB left unprocessed. */
  signal?: AbortSignal | undefined;
  /** The longest pause before such a retry. */
  pauseMs?: number;
  clock?: Clock;
}

/**
 * Returns a function that writes blocks to a table: applications and removals in batches, jobs one by one, because an
 * UpdateItem keeps the attributes that protect a job from late requests. Erasures come first: an erasure counts for the
 * applications of its block, whichever line it has.
 */
export function blockWriter(table: Table, options: WriterOptions = {}): WriteBlock {
  const { signal, clock = systemClock } = options;
  return async (records, onDone) => {
    const erasures = records.filter(({ kind }) => kind === 'erasure');
    await inParallel(
      erasures.map((record) => async () => {
        const stored = await storeErasure(table, record.item);
        onDone(record, stored > Number(record.item[revision]) ? 'older' : 'written');
      }),
    );
    let left = records.filter(({ kind }) => kind !== 'erasure');
    for (let stalled = 0; left.length > 0; ) {
      const done = new Set<LineRecord>();
      const report: typeof onDone = (record, outcome) => {
        done.add(record);
        onDone(record, outcome);
      };
      const round = { table, options, limit: startWriteLimit(clock), onDone: report };
      try {
        await writeRound(round, left, stalled > 0);
      } catch (error) {
        stalled = done.size > 0 ? 0 : stalled + 1;
        if (!(error instanceof WriteTooLate) || stalled === MAX_STALLED) throw error;
        signal?.throwIfAborted();
      }
      left = left.filter((record) => !done.has(record));
    }
  };
}

/**
 * The writes of one time limit, which begins before the erasures of the records' candidates are read. A new erasure waits
 * for longer before it searches, so it finds every application of the round.
 */
interface Round {
  table: Table;
  options: WriterOptions;
  limit: WriteLimit;
  onDone: (record: LineRecord, outcome: Outcome) => void;
}

/**
 * Writes records until the time limit.
 * @param isSlow sends one item at a time: alone it may be in time where it was not among others.
 * @throws WriteTooLate if the limit has passed and records are left.
 */
async function writeRound(
  round: Round,
  records: readonly LineRecord[],
  isSlow: boolean,
): Promise<void> {
  const { options, limit } = round;
  const allowed = await withinLimit(limit, () => withoutErased(round, records));
  const isBatched = ({ kind }: LineRecord) => !options.keepsNewer && kind !== 'job';
  const requests = [
    ...chunksOf(allowed.filter(isBatched), isSlow ? 1 : BATCH_ITEMS).map(
      (batch) => () => writeBatch(round, batch),
    ),
    ...allowed
      .filter((record) => !isBatched(record))
      .map((record) => () => writeSingle(round, record)),
  ];
  await inParallel(
    requests.map((request) => () => withinLimit(limit, request)),
    isSlow ? 1 : MAX_REQUESTS,
  );
}

/** Reports the applications that the erasures of their candidates exclude, and returns the other records. */
async function withoutErased(
  round: Round,
  records: readonly LineRecord[],
): Promise<readonly LineRecord[]> {
  const keys = new Map<string, Key>();
  for (const record of records) {
    const key = erasureKeyOf(record);
    if (key) keys.set(key.pk, key);
  }
  const chunks = chunksOf([...keys.values()], BATCH_KEYS);
  const read = await Promise.all(chunks.map((chunk) => readErasures(round, chunk)));
  const erasures = new Map(read.flatMap((each) => each.erasures.map((item) => [item.pk, item])));
  const now = () => Math.min(...read.map((each) => each.now()));
  return records.filter((record) => {
    const erasure = erasures.get(erasureKeyOf(record)?.pk ?? '');
    const order = compareToErasure(erasure, record.item[revision], now);
    if (order !== 'newer') round.onDone(record, order === 'older' ? 'erased' : order);
    return order === 'newer';
  });
}

/** The key of the erasure that an application must not be older than. Other records have no personal data. */
function erasureKeyOf({ kind, item }: LineRecord): Key | undefined {
  if (kind !== 'application') return undefined;
  return erasureKey(String(item[itemAttributes.tenant]), String(item.user_id));
}

/** Reads the erasures that exist, and returns DynamoDB's time of the first response. */
async function readErasures({ table: { client, name }, options, limit }: Round, keys: Key[]) {
  const erasures: Record<string, unknown>[] = [];
  let now: (() => number) | undefined;
  for (let left = keys; ; ) {
    const Keys = left.map(({ pk, sk }) => ({ pk, sk }));
    const command = new BatchGetCommand({
      RequestItems: { [name]: { Keys, ConsistentRead: true } },
      // A response without `ConsumedCapacity` is incomplete. In a complete one, no item means that there is none.
      ReturnConsumedCapacity: 'TOTAL',
    });
    limitAttempts(command, limit);
    now ??= responseTime(command);
    const response = await client.send(command, { abortSignal: limit.signal });
    if (response.ConsumedCapacity === undefined) {
      throw new Error('DynamoDB sent an empty response.');
    }
    erasures.push(...(response.Responses?.[name] ?? []));
    const unprocessed = new Set(response.UnprocessedKeys?.[name]?.Keys?.map(keyOf));
    left = left.filter((key) => unprocessed.has(keyOf(key)));
    if (left.length === 0) return { erasures, now };
    await pause(options);
  }
}

async function writeSingle(
  { table, options, limit, onDone }: Round,
  record: LineRecord,
): Promise<void> {
  const { kind, item, hasOwnExpiry, line } = record;
  if (!options.keepsNewer) {
    await writeJob(table, item, line, limit);
    return onDone(record, 'written');
  }
  const outcome = await (kind === 'application'
    ? putApplicationItem(table, item, { hasOwnExpiry, limit })
    : kind === 'job'
      ? createJobItem(table, item, limit)
      : removeApplicationItem(table, item, limit));
  onDone(record, outcome === 'older' || outcome === 'exists' ? 'older' : 'written');
}

/**
 * Sends a batch until DynamoDB has processed all of it. If DynamoDB can process none, it rejects the request, which the
 * SDK then retries.
 */
async function writeBatch(
  { table: { client, name }, options, limit, onDone }: Round,
  batch: readonly LineRecord[],
): Promise<void> {
  for (let left = batch; ; ) {
    const requests = left.map(({ item: Item }) => ({ PutRequest: { Item } }));
    const command = new BatchWriteCommand({ RequestItems: { [name]: requests } });
    limitAttempts(command, limit);
    const response = await client.send(command, { abortSignal: limit.signal });
    const unprocessed = new Set(
      response.UnprocessedItems?.[name]?.map(({ PutRequest }) => keyOf(PutRequest?.Item ?? {})),
    );
    for (const record of left) if (!unprocessed.has(keyOf(record.item))) onDone(record, 'written');
    left = left.filter(({ item }) => unprocessed.has(keyOf(item)));
    if (left.length === 0) return;
    await pause(options);
  }
}

/** Waits for a random time before DynamoDB gets again what it left unprocessed. */
async function pause({ signal, pauseMs = 1000 }: WriterOptions): Promise<void> {
  signal?.throwIfAborted();
  await sleep(Math.random() * pauseMs, undefined, { signal });
}

async function inParallel(
  requests: readonly (() => Promise<void>)[],
  most?: number,
): Promise<void> {
  const limit = new ConcurrencyLimit(undefined, most);
  try {
    for (const request of requests) await limit.begin(request);
  } finally {
    await limit.settle();
  }
}

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );

/** The key of an item as one text. Neither part can contain a space. */
export const keyOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }) =>
  `${pk} ${sk}`;
