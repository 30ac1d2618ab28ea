import { isTimestamp } from '../../functions/domain/timestamp.ts';

export const SECONDS_A_DAY = 24 * 60 * 60;

/**
 * The default lifetime of a tombstone or an erasure in days. The lifetime must exceed the time for which a queue keeps
 * older writes. In SQS, this time is at most 14 days.
 */
export const TOMBSTONE_DAYS = 30;

/** The maximum lifetime in days, a hundred years. An application without an expiry stays forever. */
export const MAX_DAYS = 36_500;

/** Returns whether `days` is a whole number from 1 to 36500. */
export const isDays = (days: unknown): days is number =>
  typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MAX_DAYS;

/** DynamoDB never deletes an item whose TTL lies more than five years back (Developer Guide, "Using time to live"). */
const MAX_PAST_S = 4 * 365 * SECONDS_A_DAY;

/** Replaces an `expires_at` more than four years before `now` (in milliseconds) by `now`, so that DynamoDB deletes the item. */
export function deletableExpiry(expiresAt: number, now = Date.now()): number {
  const present = Math.floor(now / 1000);
  return expiresAt < present - MAX_PAST_S ? present : expiresAt;
}

/**
 * When an application expires, in whole seconds since 1970: `days` after `createdAt`, but never before `now` (in
 * milliseconds). Undefined if `createdAt` is not a timestamp of the contract.
 */
export function expiryOf(createdAt: unknown, days: number, now = Date.now()): number | undefined {
  if (typeof createdAt !== 'string' || !isTimestamp(createdAt)) return undefined;
  const kept = Date.parse(createdAt) / 1000 + days * SECONDS_A_DAY;
  return Math.floor(Math.max(kept, now / 1000));
}
