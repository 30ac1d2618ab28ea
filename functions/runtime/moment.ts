/** The same moment on two clocks, in milliseconds. */
export interface Moment {
  /** The wall clock's time since 1970. */
  date: number;
  /** The time of a clock that only goes forward. */
  monotonic: number;
}

export type Clock = () => Moment;

export const systemClock: Clock = () => ({ date: Date.now(), monotonic: performance.now() });

/**
 * The purpose of a timer: a pause between attempts, or the time limit of a connection, of a DynamoDB request or of an
 * invocation.
 */
export type TimerName = 'pause' | 'connect' | 'request' | 'invocation';

/** A function that calls `end` after `ms` milliseconds. Its result is a function that cancels the call. */
export type Timer = (name: TimerName, ms: number, end: () => void) => () => void;

export const systemTimer: Timer = (_, ms, end) => {
  const timer = setTimeout(end, ms);
  return () => clearTimeout(timer);
};

/** Returns a clock's current time in ISO 8601, UTC, with milliseconds. */
export const isoDate = (clock: Clock): string => new Date(clock().date).toISOString();

/**
 * Returns the time between two moments, in milliseconds, on the clock that has moved further. The monotonic clock may
 * stand still while Lambda freezes the process, and the wall clock may be set back.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.monotonic - from.monotonic, Math.abs(to.date - from.date));
