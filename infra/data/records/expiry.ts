import { isTimestamp } from '../../../functions/domain/timestamp.ts';

export const SECONDS_A_DAY = 24 * 60 * 60;

/** Must outlast any queued write: SQS keeps messages for up to 14 days. */
export const TOMBSTONE_DAYS = 30;

export const MAX_DAYS = 36_500;

export const isDays = (days: unknown): days is number =>
  typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;

/**
 * DynamoDB does not delete an item whose TTL is over five years past ("Using time to live"). Leaves a year's margin.
 */
const MAX_PAST_S = 4 * 365 * SECONDS_A_DAY;

/**
 * Replaces a time too far back with `now`, so that DynamoDB deletes the item. In seconds since 1970, but `now` is in
 * milliseconds.
 */
export function deletableExpiry(expiresAt: number, now = Date.now()): number {
  const present = Math.floor(now / 1000);
  return expiresAt < present - MAX_PAST_S ? present : expiresAt;
}

/**
 * `days` after `createdAt`, but not before `now` (in milliseconds). In whole seconds since 1970. Undefined if
 * `createdAt` is not in the contract's format.
 */
export function expiryOf(createdAt: unknown, days: number, now = Date.now()): number | undefined {
  if (typeof createdAt !== 'string' || !isTimestamp(createdAt)) return undefined;
  const kept = Date.parse(createdAt) / 1000 + days * SECONDS_A_DAY;
  return Math.floor(Math.max(kept, now / 1000));
}
