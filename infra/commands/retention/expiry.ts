import { isTimestamp } from '../../../functions/domain/timestamp.ts';
import { WrongUsage } from '../cli/command.ts';

const SECONDS_A_DAY = 24 * 60 * 60;

/** A hundred years. To keep applications forever, set no time. */
const MOST_DAYS = 36_500;

/**
 * The value of an option that is a number of days.
 * @throws WrongUsage if it is not a whole number from 1 to 36500.
 */
export function readDays(option: string, text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days >= 1 && days <= MOST_DAYS) return days;
  throw new WrongUsage(`--${option} must be a whole number from 1 to ${MOST_DAYS}.`);
}

/**
 * When an application that may be kept for so many days expires, in seconds since the epoch, rounded
 * down. It is never before `now` (in milliseconds), because DynamoDB does not delete items that expired
 * more than five years ago (Developer Guide, "Using time to live": the attribute's format).
 * @returns undefined if `createdAt` is not a timestamp of the contract.
 */
export function expiryOf(createdAt: unknown, days: number, now = Date.now()): number | undefined {
  if (typeof createdAt !== 'string' || !isTimestamp(createdAt)) return undefined;
  const kept = Date.parse(createdAt) / 1000 + days * SECONDS_A_DAY;
  return Math.floor(Math.max(kept, now / 1000));
}
