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

/** An application's bits. A line may name one that is not stored. */
const IS_STORED = 1;
/** Older than the state, and not expired. */
const IS_REMOVABLE = 2;
const IS_NAMED = 4;

/** What FILE and the table know of each application, in about 200 bytes. */
export class StoredState {
  readonly #indexes = new Map<string, number>();
  #hashes = new Float64Array(1024);
  /** In seconds since 1970, NaN without one. */
  #expiries = new Float64Array(1024).fill(Number.NaN);
  #bits = new Uint8Array(1024);
  /** The first line that is stored; 0 before. */
  #lines = new Uint32Array(1024);
  readonly #withInvalidRevision: Key[] = [];
  /** With a valid application in FILE: the beginning of their partition keys. */
  readonly #tenants = new Set<string>();

  get size(): number {
    return this.#indexes.size;
  }

  /** @param revision of the state, and `now` in milliseconds since 1970. */
  addStored(item: Item, revision: number, now: number): void {
    const index = this.#indexOf(item);
    const isRemovable = isOlder(item, revision) && !(Number(item[timeToLive]) * 1000 <= now);
    if (revisionOrNone(item) === undefined)
      this.#withInvalidRevision.push({ pk: item.pk, sk: item.sk });
    this.#hashes[index] = hashOf(item);
    this.#expiries[index] = Number(item[timeToLive] ?? Number.NaN);
    this.#bits[index] = IS_STORED | (isRemovable ? IS_REMOVABLE : 0);
  }

  /** The application stays, whatever becomes of the line. */
  name(key: Key): void {
    const index = this.#indexOf(key);
    this.#set(index, IS_NAMED);
  }

  /** For a valid application of FILE: what FILE lacks of its tenant is missing. */
  openTenant({ pk }: Key): void {
    this.#tenants.add(tenantOf(pk));
  }

  /** Stored, and not expired. `now` is in milliseconds since 1970. */
  isLive = (key: Key, now: number): boolean =>
    this.#has(this.#indexOf(key), IS_STORED) && !this.isExpired(key, now);

  isExpired = (key: Key, now: number): boolean =>
    Number(this.#expiries[this.#indexOf(key)]) * 1000 <= now;

  /**
   * Whether the line would change nothing but the revision. A line's own expiry must be the stored one. One that follows
   * from the application's age may be any; without either, what is stored stays as it is.
   */
  isEqual({ item, hasOwnExpiry }: LineRecord): boolean {
    const index = this.#indexOf(item);
    if (!this.#has(index, IS_STORED) || this.#hashes[index] !== hashOf(item)) return false;
    const expiry = item[timeToLive];
    const stored = Number(this.#expiries[index]);
    if (expiry === undefined) return true;
    return hasOwnExpiry ? stored === expiry : !Number.isNaN(stored);
  }

  /** Of the first line about the application that is stored, if there is one. */
  lineOf = (key: Key): number | undefined => this.#lines[this.#indexOf(key)] || undefined;

  setLine(key: Key, line: number): void {
    this.#lines[this.#indexOf(key)] = line;
  }

  /** Stored applications that no line names, although one names their tenant, and that are older than the state. */
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

  /** Of the same tenants, the applications whose revision is no number of milliseconds: no write can replace them. */
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
    // A copy with one byte for each character: the text is a rope, which keeps the strings that it joins.
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

/** DynamoDB returns members in any order. What is not JSON, such as a set, gets a name that no member may have. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  if (!isObject(value)) return { '': String(value) };
  const names = keysOf(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]));
}

/** 0 without a revision; undefined if it is no number of milliseconds. */
const revisionOrNone = (item: Item) => (item[REVISION] === undefined ? 0 : revisionOf(item));

export const isOlder = (item: Item, revision: number) =>
  (revisionOrNone(item) ?? revision) < revision;

interface ReadOptions {
  /** Of the state: what is greater is newer. */
  revision: number;
  /** In milliseconds since 1970. */
  now: number;
  onScanned: (applications: number) => void;
  signal?: AbortSignal | undefined;
}

/** In one consistent scan. Leaves out tombstones. */
export async function readState(
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
