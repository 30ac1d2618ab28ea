import { isTimestamp } from '../../functions/domain/timestamp.ts';

export const SECONDS_A_DAY = 24 * 60 * 60;

/** How long the table keeps a tombstone or an erasure by default: longer than any queue keeps a message. */
export const TOMBSTONE_DAYS = 30;

/** A hundred years. To keep applications forever, set no time. */
export const MOST_DAYS = 36_500;

/** Returns whether `days` is a whole number from 1 to 36500. */
export const isDays = (days: unknown): days is number =>
  typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS;

/**
 * Returns when an application that may be kept for so many days expires, in seconds since 1970, rounded
 * down. It is never before `now` (in milliseconds), because DynamoDB does not delete items that expired
 * more than five years ago (Developer Guide, "Using time to live": the attribute's format).
 * @returns undefined if `createdAt` is not a timestamp of the contract.
 */
export function expiryOf(createdAt: unknown, days: number, now = Date.now()): number | undefined {
  if (typeof createdAt !== 'string' || !isTimestamp(createdAt)) return undefined;
  const kept = Date.parse(createdAt) / 1000 + days * SECONDS_A_DAY;
  return Math.floor(Math.max(kept, now / 1000));
}
