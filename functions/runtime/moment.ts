/** A moment by both clocks, in milliseconds. */
export interface Moment {
  /** By the wall clock, since 1970. */
  date: number;
  /** By a clock that only goes forward. */
  monotonic: number;
}

export type Clock = () => Moment;

export const systemClock: Clock = () => ({ date: Date.now(), monotonic: performance.now() });

/** Calls `end` after `ms` milliseconds, unless what it returns is called first. */
export type Timer = (ms: number, end: () => void) => () => void;

export const systemTimer: Timer = (ms, end) => {
  const timer = setTimeout(end, ms);
  return () => clearTimeout(timer);
};

/** The present time of a clock in ISO 8601, UTC, with milliseconds. */
export const isoDate = (clock: Clock): string => new Date(clock().date).toISOString();

/**
 * The time between two moments, in milliseconds, by the clock that has moved further: one may stand still
 * in a process that Lambda has frozen, the other may be set back.
 */
export const elapsed = (from: Moment, to: Moment): number =>
  Math.max(to.monotonic - from.monotonic, Math.abs(to.date - from.date));
