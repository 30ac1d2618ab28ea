import { Application } from '../../../functions/domain/application.ts';
import { keysOf } from '../../../functions/domain/own-value.ts';
import { MAX_EPOCH_SECONDS } from '../../../functions/domain/timestamp.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../../functions/store/items.ts';
import { candidateIndex, erasureKey, keyAttributes } from '../../../functions/store/keys.ts';
import type { Client } from './published-types.ts';
import { REVISIONS } from './record-schema.ts';
import type { Table } from './table.ts';
import { check, type Limit, put, type Stored, transact, update } from './transaction.ts';

const { revision, removed } = revisionAttributes;
const { partitionKey, timeToLive } = keyAttributes;

/** Attributes of applications and tombstones, except the key. An update must remove those that it does not set. */
export const APPLICATION_ATTRIBUTES: readonly string[] = [
  ...keysOf(Application.properties),
  ...Object.values(itemAttributes),
  ...Object.values(revisionAttributes),
  candidateIndex.partitionKey,
  timeToLive,
];

const IS_NEW = { condition: `attribute_not_exists(#${partitionKey})` };

interface ApplicationWrite {
  item: Item;
  /** If false, a stored application keeps its `expires_at`. */
  hasOwnExpiry: boolean;
}

interface WriteOptions {
  /** Overwrites newer data too, but still respects erasures. */
  replaces?: boolean;
  limit?: Limit;
  /** In milliseconds since 1970. The check for an erasure uses it instead of the application's revision. */
  madeAt?: number | undefined;
}

/** Fails if the candidate was erased at `time` or later; by default, `time` is the application's revision. */
function notErased(table: string, { user_id, ...item }: Item, time = item[revision]) {
  const key = erasureKey(String(item[itemAttributes.tenant]), String(user_id));
  // Without a revision, nothing shows that the record is newer than the erasure.
  if (time === undefined) return check(table, key, IS_NEW);
  return check(table, key, {
    condition: `${IS_NEW.condition} OR #revision < :revision`,
    values: { revision: time },
  });
}

/** An item without a revision replaces only an application without one. */
function overApplication(table: string, { item, hasOwnExpiry }: ApplicationWrite) {
  const { pk, sk, ...set } = item;
  const isFree = 'attribute_not_exists(#revision)';
  const isNewest = set[revision] === undefined ? isFree : `(${isFree} OR #revision <= :revision)`;
  return update(table, item, {
    set,
    keep: hasOwnExpiry ? [] : [timeToLive],
    remove: APPLICATION_ATTRIBUTES.filter((name) => set[name] === undefined && name !== timeToLive),
    condition: `attribute_not_exists(#removed) AND ${isNewest}`,
  });
}

/**
 * Does not keep the stored expiry, which is the tombstone's. Also works if DynamoDB has deleted the tombstone
 * meanwhile.
 */
function overTombstone(table: string, { item }: ApplicationWrite) {
  const { pk, sk, ...set } = item;
  return update(table, item, {
    set,
    remove: APPLICATION_ATTRIBUTES.filter((name) => set[name] === undefined),
    condition: `${IS_NEW.condition} OR (attribute_exists(#removed) AND #revision < :revision)`,
  });
}

interface ApplicationWritten {
  /** `unordered`: the item has no revision to compare. */
  outcome: 'stored' | 'older' | 'erased' | 'unordered';
  /** Erasure that blocked the write. */
  erasure?: Stored;
}

/**
 * The greatest `revision` wins. In a tie, an application is overwritten, and a removal stays. The same transaction
 * checks for an erasure, so no write gets past one that was stored before. Safe to repeat.
 */
export async function putApplicationItem(
  table: Table<Client>,
  application: ApplicationWrite,
  { replaces = false, limit, madeAt }: WriteOptions = {},
): Promise<ApplicationWritten> {
  const { item } = application;
  const isOrdered = item[revision] !== undefined;
  const isNotErased = notErased(table.name, item, madeAt);
  const first = replaces ? put(table.name, item) : overApplication(table.name, application);
  for (let write = first; ; ) {
    const [erasure, found] = (await transact(table, [isNotErased, write], limit)) ?? [];
    if (erasure) return { outcome: isOrdered ? 'erased' : 'unordered', erasure };
    if (found === undefined) return { outcome: 'stored' };
    if (!isOrdered) return { outcome: 'unordered' };
    if (found[removed] !== undefined) {
      if (!isBelow(found[revision], item[revision])) return { outcome: 'older' };
      write = overTombstone(table.name, application);
    } else {
      if (write === first) return { outcome: 'older' };
      write = first;
    }
  }
}

/**
 * Stores the tombstone even if there is no application: an older write may still arrive. A stored item with a greater
 * revision stays.
 */
export async function putTombstone(
  table: Table<Client>,
  tombstone: Item,
  { replaces = false, limit }: WriteOptions = {},
): Promise<'stored' | 'older'> {
  const isNewest = {
    condition: 'attribute_not_exists(#revision) OR #revision <= :revision',
    values: { revision: tombstone[revision] },
  };
  const write = put(table.name, tombstone, replaces ? undefined : isNewest);
  return (await transact(table, [write], limit)) ? 'older' : 'stored';
}

/** @returns the stored job, unchanged, if there is one already. */
export async function createJobItem(
  table: Table<Client>,
  item: Item,
  limit?: Limit,
): Promise<Stored | undefined> {
  const [existing] = (await transact(table, [put(table.name, item, IS_NEW)], limit)) ?? [];
  return existing;
}

/**
 * Never weakens an earlier erasure: keeps a greater stored revision or expiry, unless it must be a mistake (a revision
 * beyond `latest`, or an expiry after the year 9999).
 * @returns the revision that is now stored.
 */
export async function storeErasure(
  table: Table<Client>,
  erasure: Item,
  latest: number = REVISIONS.maximum,
): Promise<number> {
  for (let item = erasure; ; ) {
    const isGreatest = {
      condition:
        `NOT (#${revision} > :${revision} AND #${revision} <= :latest)` +
        ` AND NOT (#${timeToLive} > :${timeToLive} AND #${timeToLive} <= :lastSecond)`,
      values: {
        [revision]: item[revision],
        [timeToLive]: item[timeToLive],
        latest,
        lastSecond: MAX_EPOCH_SECONDS,
      },
    };
    const [found] = (await transact(table, [put(table.name, item, isGreatest)])) ?? [];
    if (found === undefined) return Number(item[revision]);
    const greater = (name: string, last: number) =>
      isBelow(item[name], found[name]) && Number(found[name]) <= last ? found[name] : item[name];
    item = {
      ...item,
      [revision]: greater(revision, latest),
      [timeToLive]: greater(timeToLive, MAX_EPOCH_SECONDS),
    };
  }
}

const isBelow = (stored: unknown, other: unknown) =>
  typeof stored === 'number' && typeof other === 'number' && stored < other;
