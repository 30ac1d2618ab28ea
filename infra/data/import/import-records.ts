import { hash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { type Key, keyAttributes, parseKey } from '../../../functions/store/keys.ts';
import { type ParseOptions, TOO_LARGE } from '../records/records.ts';
import { reasonOf } from '../records/refusal.ts';
import type { RecordMembers } from '../records/storable.ts';
import {
  type Detail,
  keyOf,
  type LineRecord,
  type Outcome,
  type WriteBlock,
} from './import-block.ts';
import { type Line, linesOf } from './lines.ts';
import { NOT_JSON, otherFormatOf, parseLine, readIds, UNREADABLE } from './parse-line.ts';

/** Five requests for each of 40 connections. */
const BLOCK_RECORDS = 200;
const BLOCK_BYTES = 4 * 1024 * 1024;
const BLOCK_MS = 1000;

const MAX_UNREADABLE_LINES = 100;
const OTHER_FORMAT = 'Nothing was imported: the first line shows that the file must be converted.';
const ANOTHER_FILE = `Is it the right file? ${MAX_UNREADABLE_LINES} lines in a row cannot be read as records.`;

/** More would need more memory than the rest of the import. */
const MAX_REMEMBERED = 2_000_000;

/** Lines, by outcome. After a line about an item is stored, further lines about it count as `repeated`. */
export const zeroCounts = () => ({
  /** Includes jobs that already existed with the same status. */
  jobs: 0,
  applications: 0,
  /** Also in `applications`. */
  expired: 0,
  /** Only with `isState`: equal to what is stored, and not in `applications`. */
  unchanged: 0,
  /** Only with `isState`: expired, and not stored again. */
  leftExpired: 0,
  removals: 0,
  erasures: 0,
  /** Not stored: the table has something newer. */
  older: 0,
  /** Not stored: the candidate was erased later. */
  erased: 0,
  /** Not stored: without a revision, nothing shows that the application is newer. */
  unordered: 0,
  /** Not stored: the job exists with another status. */
  otherStatus: 0,
  repeated: 0,
  /** With null in place of an invalid value. Also in another count. */
  nulled: 0,
  refused: 0,
});
export type Counts = ReturnType<typeof zeroCounts>;

/** Reports a record that was not stored as given, or has expired. Members are named as in the `--report` file. */
export interface Entry {
  line: number;
  /** Ids and type, as far as they can be read. */
  ids: RecordMembers;
  outcome:
    | 'refused'
    | 'older'
    | 'erased'
    | 'expired'
    | 'without_revision'
    | 'other_status'
    | 'repeated'
    | 'lowered'
    | 'null';
  /** With `refused` or `lowered`. Never quotes the line. */
  reason?: string;
  /** With `repeated`: an earlier line about the same item. */
  first_line?: number;
  /**
   * With `repeated`: whether the line replaced the earlier one; absent with `--dry-run`. With `expired`: false if left
   * out.
   */
  is_stored?: boolean;
  /** Invalid values that are stored as null, by JSON Pointer. */
  values?: RecordMembers;
  /** Day from which DynamoDB may have deleted the candidate's erasure. */
  forgotten_on?: string | undefined;
}

/** `bytes`: the refused line; undefined if it is too long. */
type OnEntry = (entry: Entry, bytes?: Buffer) => unknown;

export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  /** All lines before it are finished. */
  readonly nextLine: number;

  constructor(cause: unknown, nextLine: number) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.nextLine = nextLine;
  }
}

interface BlockOptions extends Omit<ParseOptions, 'now'> {
  /** After a failure, the caller must close it. */
  input: Readable;
  /** In milliseconds since 1970. */
  clock?: () => number;
  fromLine?: number | undefined;
  /** Awaited before the import goes on. */
  onEntry?: OnEntry | undefined;
  onRemark?: (remark: string) => unknown;
  /** Ends the import after the block under way, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long a record waits for its block to fill: standard input may stay open without another line. */
  waitMs?: number;
}

export interface ImportOptions extends BlockOptions {
  write: WriteBlock;
  counts?: Counts;
  /** All lines before `nextLine` are finished. */
  onProgress?: (nextLine: number) => void;
  /** How many items to remember, to notice further lines about them. */
  mostRemembered?: number;
}

/**
 * Holds one block at a time, so memory does not grow with the stream.
 * @throws ImportStopped if the stream, `write` or a callback fails, if the signal is aborted, or after too many
 *   unreadable lines. Lines already read are still written, unless `write` failed.
 */
export async function importRecords(options: ImportOptions): Promise<void> {
  const { write, counts = zeroCounts(), signal, onProgress } = options;
  const report = reporter({ ...options, counts });
  for await (const records of readBlocks(options, counts)) {
    const outcomes = new Map<LineRecord, [outcome: Outcome, detail: Detail | undefined]>();
    const onDone: Parameters<WriteBlock>[1] = (record, outcome, detail) =>
      outcomes.set(record, [outcome, detail]);
    const failed = await write(records, onDone).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const left = records.filter((record) => !outcomes.has(record));
    const afterBlock = Math.max(...records.map(({ line }) => line)) + 1;
    const nextLine = Math.min(afterBlock, ...left.map(({ line }) => line));
    for (const record of records) {
      const outcome = outcomes.get(record);
      if (outcome === undefined) continue;
      try {
        await report(record, ...outcome);
      } catch (error) {
        throw new ImportStopped(error, Math.min(nextLine, record.line));
      }
    }
    if (failed) throw new ImportStopped(signal?.aborted ? signal.reason : failed.error, nextLine);
    onProgress?.(nextLine);
  }
}

function reporter({
  counts,
  onEntry,
  onRemark,
  clock = Date.now,
  mostRemembered = MAX_REMEMBERED,
  isState = false,
}: ImportOptions & { counts: Counts }) {
  /** Line numbers, by the hash of the item's key. */
  const lines = new Map<number, number>();
  let isFull = false;
  return async (record: LineRecord, outcome: Outcome, detail: Detail = {}): Promise<void> => {
    const { kind, item, line, bytes } = record;
    const add = (of: Omit<Entry, 'line' | 'ids'>, refused?: Buffer) =>
      onEntry?.({ line, ids: { type: kind, ...idsOf(item) }, ...of }, refused);
    const key = hashOf(record);
    const earlier = lines.get(key) ?? detail.firstLine;
    const isStored = outcome === 'stored' || outcome === 'unchanged' || outcome === 'checked';
    if (record.nulled !== undefined && isStored) {
      counts.nulled += 1;
      await add({ outcome: 'null', values: record.nulled });
    }
    if (record.remark !== undefined) await add({ outcome: 'lowered', reason: record.remark });
    if (outcome === 'tooLarge') {
      counts.refused += 1;
      await add({ outcome: 'refused', reason: reasonOf(TOO_LARGE) }, bytes);
    } else if (outcome === 'erased') {
      counts.erased += 1;
      await add({ outcome, forgotten_on: dayOf(detail.erasure?.[keyAttributes.timeToLive]) });
    } else if (earlier !== undefined || outcome === 'repeated') {
      counts.repeated += 1;
      const isKnown = outcome !== 'checked';
      const first = { ...(earlier !== undefined && { first_line: earlier }) };
      await add({ outcome: 'repeated', ...first, ...(isKnown && { is_stored: isStored }) });
    } else if (outcome === 'unchanged') {
      counts.unchanged += 1;
    } else if (outcome === 'expired') {
      counts.leftExpired += 1;
      await add({ outcome, is_stored: false });
    } else if (isStored) {
      counts[`${kind}s`] += 1;
      if (kind !== 'removal' && hasExpired(record, clock())) {
        if (kind === 'application') counts.expired += 1;
        await add({ outcome: 'expired' });
      }
    } else {
      counts[outcome] += 1;
      await add({ outcome: LEFT_OUT[outcome] });
    }
    // With `isState`, the writer remembers applications itself.
    if (!isStored || (isState && kind === 'application')) return;
    if (earlier !== undefined || lines.size < mostRemembered) {
      lines.set(key, line);
    } else if (!isFull) {
      isFull = true;
      await onRemark?.(
        `From line ${line} on, the import no longer notices two lines about the same item: it remembers at most ${mostRemembered}.`,
      );
    }
  };
}

/** `2026-12-24`, from seconds since 1970. */
const dayOf = (seconds: unknown) =>
  new Date(Number(seconds) * 1000).toJSON()?.slice(0, 'YYYY-MM-DD'.length);

const LEFT_OUT = {
  older: 'older',
  unordered: 'without_revision',
  otherStatus: 'other_status',
} as const;

/** Job: `{ tenant, id }`. Erasure: `{ tenant, user_id }`. Application: `{ tenant, job_id, user_id }`. */
export function idsOf(key: Key): RecordMembers {
  const parts = parseKey(key);
  if (parts === undefined) return {};
  const { kind, tenant } = parts;
  if (kind === 'job') return { tenant, id: parts.job };
  const { candidate: user_id } = parts;
  return kind === 'erasure' ? { tenant, user_id } : { tenant, job_id: parts.job, user_id };
}

/** `<=`, because the import stores a long-past `expires_at` as the present time. */
export const hasExpired = ({ item }: LineRecord, now: number) =>
  Number(item[keyAttributes.timeToLive]) * 1000 <= now;

/** 52 bits: of 2,000 files with two million keys each, about one has two keys with the same hash. */
const hashOf = ({ item }: LineRecord) =>
  Number.parseInt(hash('sha1', keyOf(item), 'hex').slice(0, 13), 16);

async function* readBlocks(options: BlockOptions, counts: Counts): AsyncGenerator<LineRecord[]> {
  const { input, clock = Date.now, fromLine = 1, onEntry, signal, waitMs = BLOCK_MS } = options;
  // Otherwise, Ctrl-C would wait for a line that may never come.
  if (signal) addAbortSignal(signal, input);
  let block: Block | undefined;
  let nextLine = 1;
  let unreadable = 0;
  let isFirst = true;
  const read = async (line: Line, lines: Line[]): Promise<LineRecord | undefined> => {
    const { bytes, reason: fault } = line;
    const result =
      bytes === undefined ? { reason: fault } : parseLine(bytes, { ...options, now: clock() });
    if (result === undefined) return undefined;
    const mayTellFormat = isFirst;
    isFirst = false;
    if (!('reason' in result)) {
      unreadable = 0;
      return { ...result, line: nextLine, bytes: bytes ?? Buffer.of() };
    }
    unreadable = UNREADABLE.includes(result.reason) ? unreadable + 1 : 0;
    counts.refused += 1;
    const isOther = mayTellFormat && (bytes === undefined || result.reason === NOT_JSON);
    const format = isOther
      ? otherFormatOf(lines.slice(lines.indexOf(line)).map((each) => each.bytes ?? each.start))
      : undefined;
    const refused = { outcome: 'refused', reason: format ?? result.reason } as const;
    await onEntry?.({ line: nextLine, ids: readIds(bytes), ...refused }, bytes);
    // Stop at once: another line of such a file, such as an array's last, might pass for a record.
    if (format !== undefined) throw new Error(OTHER_FORMAT);
    if (unreadable === MAX_UNREADABLE_LINES) throw new Error(ANOTHER_FILE);
    return undefined;
  };
  try {
    const chunks = linesOf(input);
    let chunk = chunks.next();
    for (;;) {
      const next = await (block ? settledBy(block.startedAt + waitMs, chunk) : chunk);
      if (next?.done) break;
      const lines = next?.value ?? [];
      for (const line of lines) {
        const record = nextLine < fromLine ? undefined : await read(line, lines);
        if (block && record && !block.hasRoomFor(record)) {
          yield block.records;
          block = undefined;
          signal?.throwIfAborted();
        }
        if (record) {
          block ??= new Block();
          block.add(record);
        }
        nextLine += 1;
      }
      if (next) chunk = chunks.next();
      else if (block) {
        yield block.records;
        block = undefined;
      }
    }
    if (block) yield block.records;
  } catch (error) {
    if (block) yield block.records;
    // An aborted stream's own error does not say why.
    const cause = signal?.aborted ? signal.reason : error;
    throw new ImportStopped(cause, Math.max(nextLine, fromLine));
  }
}

class Block {
  readonly records: LineRecord[] = [];
  readonly startedAt = performance.now();
  readonly #keys = new Set<string>();
  #bytes = 0;

  hasRoomFor({ item, bytes }: LineRecord): boolean {
    return (
      this.records.length < BLOCK_RECORDS &&
      this.#bytes + bytes.length <= BLOCK_BYTES &&
      !this.#keys.has(keyOf(item))
    );
  }

  add(record: LineRecord): void {
    this.records.push(record);
    this.#keys.add(keyOf(record.item));
    this.#bytes += record.bytes.length;
  }
}

/** Undefined if `promise` has not settled by `deadline` (on the clock of `performance.now()`). */
async function settledBy<T>(deadline: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const left = deadline - performance.now();
  if (left <= 0) late.resolve(undefined);
  const timer = setTimeout(() => late.resolve(undefined), left);
  return Promise.race([late.promise, promise]).finally(() => clearTimeout(timer));
}
