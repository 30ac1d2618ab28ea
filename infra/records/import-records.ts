import { hash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { keyAttributes } from '../../functions/store/keys.ts';
import { reasonOf } from './faults.ts';
import { keyOf, type LineRecord, type Outcome, type WriteBlock } from './import-block.ts';
import { type Line, linesOf } from './lines.ts';
import { NOT_JSON, otherFormatOf, parseLine, UNREADABLE } from './parse-line.ts';
import { type ParseOptions, TOO_LARGE } from './records.ts';

/** Five requests for each connection. */
const BLOCK_RECORDS = 200;
const BLOCK_BYTES = 4 * 1024 * 1024;
const BLOCK_MS = 1000;

const MAX_UNREADABLE_LINES = 100;
const OTHER_FORMAT = 'Nothing was imported: the first line shows that the file must be converted.';
const ANOTHER_FILE = `Is it the right file? ${MAX_UNREADABLE_LINES} lines in a row cannot be read as records.`;

/** More would need more memory than the rest of the import. */
const MAX_REMEMBERED = 2_000_000;

/** In lines. Of several about the same item, the first stored one counts by its kind, and the others as `repeated`. */
export const zeroCounts = () => ({
  /** Also those that were stored before with the same status. */
  jobs: 0,
  applications: 0,
  /** Included in `applications`. */
  expired: 0,
  /** Removals and erasures. */
  tombstones: 0,
  /** Not stored: the table has something newer, or an erasure of the candidate. */
  older: 0,
  /** Not stored, because without a revision nothing shows that the application is newer. */
  unordered: 0,
  /** Not stored, because the job exists with another status. */
  otherStatus: 0,
  repeated: 0,
  refused: 0,
});
export type Counts = ReturnType<typeof zeroCounts>;

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
  /** The present, in milliseconds since 1970. */
  clock?: () => number;
  fromLine?: number | undefined;
  /** Awaited. `reason` never quotes the line; `bytes` is undefined if the line is too long. */
  onRefused?: (line: number, reason: string, bytes: Buffer | undefined) => unknown;
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
  /** How many items to remember, in order to name lines about the same one. */
  mostRemembered?: number;
}

/**
 * Holds one block at a time, so memory does not grow with the stream.
 * @throws ImportStopped if the stream, `write` or a callback fails, if the signal is aborted, or after too many
 *   unreadable lines. What was read before is written, unless `write` failed.
 */
export async function importRecords(options: ImportOptions): Promise<void> {
  const { write, counts = zeroCounts(), signal, onProgress } = options;
  const report = reporter({ ...options, counts });
  for await (const records of readBlocks(options, counts)) {
    const outcomes = new Map<LineRecord, Outcome>();
    const failed = await write(records, (record, outcome) => outcomes.set(record, outcome)).then(
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
        await report(record, outcome);
      } catch (error) {
        throw new ImportStopped(error, Math.min(nextLine, record.line));
      }
    }
    if (failed) throw new ImportStopped(signal?.aborted ? signal.reason : failed.error, nextLine);
    onProgress?.(nextLine);
  }
}

const ITEMS = {
  job: 'job',
  application: 'application',
  removal: 'application',
  erasure: 'candidate',
} as const;

const LEFT_OUT = {
  erased: 'is older than the erasure of its candidate',
  unordered:
    'has no revision, so nothing shows that it is newer than what is stored or than the erasure of its candidate',
  otherStatus: 'is left out: the job is stored with another status, which only --replace changes',
} as const;

function reporter({
  counts,
  onRefused,
  onRemark,
  clock = Date.now,
  mostRemembered = MAX_REMEMBERED,
}: ImportOptions & { counts: Counts }) {
  /** Line numbers, by the hash of the item's key. */
  const lines = new Map<number, number>();
  let isFull = false;
  return async (record: LineRecord, outcome: Outcome): Promise<void> => {
    const { kind, line, bytes } = record;
    const remark = (text: string) => onRemark?.(`line ${line} ${text}`);
    const key = hashOf(record);
    const earlier = lines.get(key);
    const isStored = outcome === 'stored' || outcome === 'checked';
    if (record.remark !== undefined) await remark(record.remark);
    if (outcome === 'tooLarge') {
      counts.refused += 1;
      await onRefused?.(line, reasonOf(TOO_LARGE), bytes);
    } else if (outcome === 'erased') {
      counts.older += 1;
      await remark(LEFT_OUT.erased);
    } else if (earlier !== undefined) {
      counts.repeated += 1;
      const end =
        { stored: ', and is stored', checked: '' }[String(outcome)] ?? ', and is left out';
      await remark(`is about the same ${ITEMS[kind]} as line ${earlier}${end}`);
    } else if (isStored) {
      for (const name of countedAs(record, clock())) counts[name] += 1;
    } else {
      counts[outcome] += 1;
      if (outcome !== 'older') await remark(LEFT_OUT[outcome]);
    }
    if (!isStored) return;
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

function countedAs({ kind, item }: LineRecord, now: number): readonly (keyof Counts)[] {
  if (kind === 'job') return ['jobs'];
  if (kind !== 'application') return ['tombstones'];
  const isExpired = Number(item[keyAttributes.timeToLive]) * 1000 <= now;
  return isExpired ? ['applications', 'expired'] : ['applications'];
}

/** 52 bits: of 2,000 files with two million keys each, about one has two keys with the same hash. */
const hashOf = ({ item }: LineRecord) =>
  Number.parseInt(hash('sha1', keyOf(item), 'hex').slice(0, 13), 16);

async function* readBlocks(options: BlockOptions, counts: Counts): AsyncGenerator<LineRecord[]> {
  const { input, clock = Date.now, fromLine = 1, onRefused, signal, waitMs = BLOCK_MS } = options;
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
    await onRefused?.(nextLine, format ?? result.reason, bytes);
    // One of its other lines, such as the last of an array, might read as a record.
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
    // An aborted stream fails with its own error, which does not say why.
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

/** Undefined if `promise` has not settled by `deadline`, a time of `performance.now()`. */
async function settledBy<T>(deadline: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const left = deadline - performance.now();
  if (left <= 0) late.resolve(undefined);
  const timer = setTimeout(() => late.resolve(undefined), left);
  return Promise.race([late.promise, promise]).finally(() => clearTimeout(timer));
}
