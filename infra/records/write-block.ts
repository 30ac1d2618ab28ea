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

/** Limit of BatchWriteItem (DynamoDB API Reference). */
const BATCH_ITEMS = 25;
/** Limit of BatchGetItem (DynamoDB API Reference). */
const BATCH_KEYS = 100;
/**
 * Gives up after this many rounds in a row without a finished record. At five seconds a round, that is half a minute.
 */
const MAX_STALLED = 6;

export type LineRecord = StoredRecord & { line: number; bytes: Buffer };

/**
 * `erased`: the application has no revision greater than that of the candidate's erasure. `ahead`: its revision is
 * greater, but ahead of DynamoDB's time.
 */
export type Outcome = 'written' | 'older' | 'erased' | 'ahead';

/** No two records may have the same key. After a failure, begins no more requests and waits for those under way. */
export type WriteBlock = (
  records: readonly LineRecord[],
  onDone: (record: LineRecord, outcome: Outcome) => void,
) => Promise<void>;

export interface WriterOptions {
  /** Keeps existing jobs and whatever is newer, at the cost of a request for each record. */
  keepsNewer?: boolean;
  /** Once aborted, ends the retries, but waits for the requests under way. */
  signal?: AbortSignal | undefined;
  /** Longest pause before sending again what DynamoDB left unprocessed; by default a second. */
  pauseMs?: number;
  clock?: Clock;
}

/**
 * Jobs are written one by one, because only an UpdateItem keeps the attributes that protect a job from late requests.
 * Erasures come first, so that they count for all applications of the block.
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

/** The read of the candidates' erasures and the writes after it, within one time limit: `WRITE_LIMIT_MS` says why. */
interface Round {
  table: Table;
  options: WriterOptions;
  limit: WriteLimit;
  onDone: (record: LineRecord, outcome: Outcome) => void;
}

/** @param isSlow sends one item at a time, which may end in time where a batch did not. */
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

/** Only for applications: other records contain nothing of a candidate but the id. */
function erasureKeyOf({ kind, item }: LineRecord): Key | undefined {
  if (kind !== 'application') return undefined;
  return erasureKey(String(item[itemAttributes.tenant]), String(item.user_id));
}

/** `now` is DynamoDB's time at the first response. */
async function readErasures({ table: { client, name }, options, limit }: Round, keys: Key[]) {
  const erasures: Record<string, unknown>[] = [];
  let now: (() => number) | undefined;
  for (let left = keys; ; ) {
    const Keys = left.map(({ pk, sk }) => ({ pk, sk }));
    const command = new BatchGetCommand({
      RequestItems: { [name]: { Keys, ConsistentRead: true } },
      // As in `checkErasure`, to notice an empty response.
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

/** Unique, because neither part can contain a space. */
export const keyOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }) =>
  `${pk} ${sk}`;
