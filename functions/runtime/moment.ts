/** One moment in time, as shown by two clocks. */
export interface Moment {
  /** The wall clock's time, as a Unix timestamp in milliseconds. */
  date: number;
  /** The time of a monotonic clock, in milliseconds. A monotonic clock never goes back. */
  monotonic: number;
}

export type Clock = () => Moment;

export const systemClock: Clock = () => ({ date: Date.now(), monotonic: performance.now() });

/**
 * The purpose of a timer. `pause` is the time between two attempts. `connect`, `request` and `invocation` are the time
 * limits for opening a connection, for a DynamoDB request and for an invocation.
 */
export type TimerName = 'pause' | 'connect' | 'request' | 'invocation';

/** A function that calls `end` after `ms` milliseconds, and returns a function that cancels this call. */
export type Timer = (name: TimerName, ms: number, end: () => void) => () => void;

export const systemTimer: Timer = (_, ms, end) => {
  const timer = setTimeout(end, ms);
  return () => clearTimeout(timer);
};

/** Returns a clock's current time as an ISO 8601 timestamp in UTC with milliseconds. */
export const isoDate = (clock: Clock): string => new Date(clock().date).toISOString();

/**
 * Returns the time between two moments, in milliseconds. Uses the clock that shows the longer time, because each clock
 * can show too little. The monotonic clock may stand still while Lambda freezes the process, and the wall clock may be
 * set back.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.monotonic - from.monotonic, Math.abs(to.date - from.date));
