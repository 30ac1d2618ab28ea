import { hash } from 'node:crypto';
import { isObject, keysOf } from '../../../functions/domain/own-value.ts';
import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { type Key, keyAttributes, parseKey } from '../../../functions/store/keys.ts';
import { revisionOf } from '../candidate/start-erasure.ts';
import { APPLICATION_ATTRIBUTES } from '../records/conditional-writes.ts';
import { scan, type Table } from '../records/table.ts';
import { keyOf, type LineRecord } from './import-block.ts';

const { revision: REVISION, removed } = revisionAttributes;
const { sortKey, timeToLive } = keyAttributes;

/** Bits per application. This one is unset if only a line names the application. */
const IS_STORED = 1;
/** Older than the state, and not expired. */
const IS_REMOVABLE = 2;
const IS_NAMED = 4;

/** What FILE and the table say about each application, in about 200 bytes each. */
export class StoredState {
  readonly #indexes = new Map<string, number>();
  #hashes = new Float64Array(1024);
  /** In seconds since 1970; NaN if none. */
  #expiries = new Float64Array(1024).fill(Number.NaN);
  #bits = new Uint8Array(1024);
  /** First line whose record is stored; 0 if none. */
  #lines = new Uint32Array(1024);
  readonly #withInvalidRevision: Key[] = [];
  /** Partition key prefixes (`tenantOf`) of the tenants with a valid application in FILE. */
  readonly #tenants = new Set<string>();

  get size(): number {
    return this.#indexes.size;
  }

  /**
   * @param revision the state's.
   * @param now in milliseconds since 1970.
   */
  addStored(item: Item, revision: number, now: number): void {
    const index = this.#indexOf(item);
    const isRemovable = isOlder(item, revision) && !(Number(item[timeToLive]) * 1000 <= now);
    if (revisionOrNone(item) === undefined)
      this.#withInvalidRevision.push({ pk: item.pk, sk: item.sk });
    this.#hashes[index] = hashOf(item);
    this.#expiries[index] = Number(item[timeToLive] ?? Number.NaN);
    this.#bits[index] = IS_STORED | (isRemovable ? IS_REMOVABLE : 0);
  }

  /** Keeps the application, whatever becomes of the line that names it. */
  name(key: Key): void {
    const index = this.#indexOf(key);
    this.#set(index, IS_NAMED);
  }

  /** From now on, this tenant's applications that FILE lacks count as missing. */
  openTenant({ pk }: Key): void {
    this.#tenants.add(tenantOf(pk));
  }

  /** `now` is in milliseconds since 1970. */
  isLive = (key: Key, now: number): boolean =>
    this.#has(this.#indexOf(key), IS_STORED) && !this.isExpired(key, now);

  isExpired = (key: Key, now: number): boolean =>
    Number(this.#expiries[this.#indexOf(key)]) * 1000 <= now;

  /**
   * Whether the line would change only the revision. If it has its own expiry, the stored one must be the same. If its
   * expiry comes from `expireAfterDays`, any stored expiry will do. Without either, the stored expiry does not matter.
   */
  isEqual({ item, hasOwnExpiry }: LineRecord): boolean {
    const index = this.#indexOf(item);
    if (!this.#has(index, IS_STORED) || this.#hashes[index] !== hashOf(item)) return false;
    const expiry = item[timeToLive];
    const stored = Number(this.#expiries[index]);
    if (expiry === undefined) return true;
    return hasOwnExpiry ? stored === expiry : !Number.isNaN(stored);
  }

  /** First line about this application that was stored. */
  lineOf = (key: Key): number | undefined => this.#lines[this.#indexOf(key)] || undefined;

  setLine(key: Key, line: number): void {
    this.#lines[this.#indexOf(key)] = line;
  }

  /** Applications of FILE's tenants that are older than the state, and that no line names. */
  *missing(): Generator<Key> {
    for (const [key, index] of this.#indexes) {
      if (!this.#has(index, IS_REMOVABLE) || this.#has(index, IS_NAMED)) continue;
      const [pk = '', sk = ''] = key.split(' ');
      if (this.#tenants.has(tenantOf(pk))) yield { pk, sk };
    }
  }

  countMissing(): number {
    let count = 0;
    for (const _ of this.missing()) count += 1;
    return count;
  }

  /** Applications of FILE's tenants with an invalid revision, which no write can replace. */
  withInvalidRevision = (): Key[] =>
    this.#withInvalidRevision.filter(({ pk }) => this.#tenants.has(tenantOf(pk)));

  get namesApplications(): boolean {
    return this.#tenants.size > 0;
  }

  #has = (index: number, bit: number) => (Number(this.#bits[index]) & bit) !== 0;

  #set(index: number, bit: number): void {
    this.#bits[index] = Number(this.#bits[index]) | bit;
  }

  #indexOf(key: Key): number {
    const text = keyOf(key);
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    const index = this.#indexes.size;
    if (index === this.#bits.length) {
      this.#hashes = grown(this.#hashes, new Float64Array(2 * index));
      this.#expiries = grown(this.#expiries, new Float64Array(2 * index).fill(Number.NaN));
      this.#bits = grown(this.#bits, new Uint8Array(2 * index));
      this.#lines = grown(this.#lines, new Uint32Array(2 * index));
    }
    // Copy the text, with one byte per character: it is a rope, which would keep the strings that it joins in memory.
    this.#indexes.set(Buffer.from(text, 'latin1').toString('latin1'), index);
    return index;
  }
}

function grown<T extends Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** `TENANT#acme#JOB#` */
const tenantOf = (pk: string) => pk.slice(0, pk.indexOf('#', 'TENANT#'.length) + '#JOB#'.length);

const COMPARED = APPLICATION_ATTRIBUTES.filter((name) => name !== REVISION && name !== timeToLive);

/** 52 bits: a changed line passes for an equal one once in 4 * 10^15 lines. */
const hashOf = (item: Item) =>
  Number.parseInt(
    hash('sha1', JSON.stringify(COMPARED.map((name) => inOrder(item[name]))), 'hex').slice(0, 13),
    16,
  );

/**
 * Sorts members, which DynamoDB returns in any order. A value that is not JSON, such as a set, becomes an object with a
 * name that no member may have.
 */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  if (!isObject(value)) return { '': String(value) };
  const names = keysOf(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]));
}

/** 0 without a revision; undefined if it is invalid. */
const revisionOrNone = (item: Item) => (item[REVISION] === undefined ? 0 : revisionOf(item));

export const isOlder = (item: Item, revision: number) =>
  (revisionOrNone(item) ?? revision) < revision;

interface ReadOptions {
  /** The state's. Applications with a greater one are newer. */
  revision: number;
  /** In milliseconds since 1970. */
  now: number;
  onScanned: (applications: number) => void;
  signal?: AbortSignal | undefined;
}

/** Reads all applications, but not tombstones, in one consistent scan. */
export async function readStoredState(
  table: Table,
  { revision, now, onScanned, signal }: ReadOptions,
): Promise<StoredState> {
  const state = new StoredState();
  const input = {
    FilterExpression: `begins_with(${sortKey}, :application) AND attribute_not_exists(${removed})`,
    ExpressionAttributeValues: { ':application': 'APPLICATION#' },
  };
  for await (const { Items: items } of scan(table, input, signal)) {
    for (const item of items) {
      if (parseKey(item)?.kind === 'application') state.addStored(item, revision, now);
    }
    onScanned(state.size);
  }
  return state;
}
