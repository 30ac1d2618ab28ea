import { isTimestamp } from '../../../functions/domain/timestamp.ts';

const SECONDS_A_DAY = 24 * 60 * 60;

/** A hundred years: who means "for ever" sets no time. */
const MOST_DAYS = 36_500;

/**
 * Reads a number of days.
 * @returns undefined where it is not a whole number from 1 to 36500.
 */
export function readDays(text: string): number | undefined {
  const days = Number(text);
  return /^\d{1,5}$/.test(text) && days >= 1 && days <= MOST_DAYS ? days : undefined;
}

/**
 * When an application expires that may be kept for so many days, in seconds since the epoch; rounded
 * down. It is never before `now` (in milliseconds): what has expired more than five years ago DynamoDB
 * does not delete (Developer Guide, "Using time to live": the attribute's format).
 * @returns undefined where `createdAt` is no timestamp of the contract.
 */
export function expiryOf(createdAt: unknown, days: number, now = Date.now()): number | undefined {
  if (typeof createdAt !== 'string' || !isTimestamp(createdAt)) return undefined;
  const kept = Date.parse(createdAt) / 1000 + days * SECONDS_A_DAY;
  return Math.floor(Math.max(kept, now / 1000));
}
