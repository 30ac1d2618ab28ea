import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import type { Item } from '../../../functions/store/items.ts';
import type { StoredRecord } from './records.ts';

/** The most items of one BatchWriteItem (DynamoDB API Reference, BatchWriteItem). */
const MAX_ITEMS = 25;
/**
 * The most bytes of lines in one. A request may take 16 MB; what is sent names a type with each value,
 * which makes the shortest values (`{}` becomes `{"M":{}}`) three times as long as in the line.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/** How long to go on trying to write what DynamoDB leaves unprocessed. */
export interface Backoff {
  /** The most tries in a row without an item written. */
  tries: number;
  /** The longest wait after a try that has written something; it doubles with each that has not. */
  baseMs: number;
  /** The longest wait of all. */
  capMs: number;
}

const BACKOFF: Backoff = { tries: 10, baseMs: 100, capMs: 5000 };

/** When to stop trying. */
export interface WriterOptions {
  backoff?: Backoff | undefined;
  signal?: AbortSignal | undefined;
}

/** DynamoDB has left items unprocessed for as many tries as are made. */
export class TableBusy extends Error {
  override readonly name = 'TableBusy';

  constructor(tries: number, cause: unknown) {
    super(`DynamoDB has written nothing in ${tries} tries in a row.`, { cause });
  }
}

/** Stopped before all records were written; `cause` says why. */
export class WriteStopped extends Error {
  override readonly name = 'WriteStopped';
}

interface Pending extends StoredRecord {
  line: number;
}

/**
 * Writes records in the order of their lines, 25 at a time. One batch flies at a time and never holds
 * two records of one key (which BatchWriteItem refuses), so that of several records of a key the last
 * one stays, and a failure leaves nothing unwritten before the line that it names.
 */
export class BatchWriter {
  /** How many records have been written. */
  readonly written = { job: 0, application: 0 };
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #backoff: Backoff;
  readonly #signal: AbortSignal | undefined;
  #batch = new Map<string, Pending>();
  #bytes = 0;

  constructor(
    client: DynamoDBDocumentClient,
    tableName: string,
    { backoff = BACKOFF, signal }: WriterOptions = {},
  ) {
    this.#client = client;
    this.#tableName = tableName;
    this.#backoff = backoff;
    this.#signal = signal;
  }

  /** The line of the first record that has been added and not written, if there is one. */
  get firstUnwritten(): number | undefined {
    return this.#batch.values().next().value?.line;
  }

  /**
   * Takes a record of the line `line`, `bytes` long, after it has written what there is no more room for.
   * @throws WriteStopped
   */
  async add(record: StoredRecord, line: number, bytes: number): Promise<void> {
    const key = keyOf(record.item);
    const isFull = this.#batch.size === MAX_ITEMS || this.#bytes + bytes > MAX_BYTES;
    if (isFull || this.#batch.has(key)) await this.flush();
    this.#batch.set(key, { ...record, line });
    this.#bytes += bytes;
  }

  /**
   * Writes what has been added; once the signal is aborted, tries once. Waits between tries for a random time below a limit that doubles
   * ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter"), and counts anew
   * whenever an item has been written.
   * @throws WriteStopped
   */
  async flush(): Promise<void> {
    const { tries, baseMs, capMs } = this.#backoff;
    for (let tried = 0; this.#batch.size > 0; ) {
      const failure = await this.#try();
      tried = failure === undefined ? 0 : tried + 1;
      if (tried === tries) {
        const cause = new TableBusy(tries, failure?.cause);
        throw new WriteStopped(cause.message, { cause });
      }
      if (this.#batch.size > 0 && this.#signal?.aborted) {
        throw new WriteStopped('Stopped between two tries.', { cause: this.#signal.reason });
      }
      if (this.#batch.size > 0) await sleep(Math.random() * Math.min(capMs, baseMs * 2 ** tried));
    }
    this.#bytes = 0;
  }

  /** Sends the batch once and keeps what is unprocessed; gives why nothing was written, if so. */
  async #try(): Promise<{ cause: unknown } | undefined> {
    const requests = [...this.#batch.values()].map(({ item: Item }) => ({ PutRequest: { Item } }));
    try {
      const { UnprocessedItems: left } = await this.#client.send(
        new BatchWriteCommand({ RequestItems: { [this.#tableName]: requests } }),
      );
      const unprocessed = Object.values(left ?? {}).flat();
      const keys = new Set(unprocessed.map((request) => keyOf(request.PutRequest?.Item)));
      this.#settle(keys);
      return keys.size < requests.length ? undefined : { cause: 'all items unprocessed' };
    } catch (cause) {
      // Where no item at all can be processed, DynamoDB answers with an error instead of a list.
      if (isSdkError(cause) && isTemporary(cause)) return { cause };
      throw new WriteStopped('DynamoDB has refused a batch.', { cause });
    }
  }

  /** Counts and lets go of the records of the batch whose keys are not among the `unprocessed`. */
  #settle(unprocessed: ReadonlySet<string>): void {
    for (const [key, { kind }] of this.#batch) {
      if (unprocessed.has(key)) continue;
      this.written[kind] += 1;
      this.#batch.delete(key);
    }
  }
}

/** The key of an item in one string: neither part holds a space. */
const keyOf = (item: Partial<Item> = {}) => `${item.pk} ${item.sk}`;

const isSdkError = (error: unknown): error is SdkError => error instanceof Error;

const isTemporary = (error: SdkError) =>
  isThrottlingError(error) || isTransientError(error) || isServerError(error);
