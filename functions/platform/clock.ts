/** In milliseconds. `date` counts from 1970; `monotonic` never goes back. */
export interface ClockReading {
  date: number;
  monotonic: number;
}

export type Clock = () => ClockReading;

export const systemClock: Clock = () => ({ date: Date.now(), monotonic: performance.now() });

export type TimerName = 'pause' | 'connect' | 'request' | 'invocation';

/** Returns a function that stops the timer. */
export type Timer = (name: TimerName, ms: number, end: () => void) => () => void;

export const systemTimer: Timer = (_, ms, end) => {
  const timer = setTimeout(end, ms);
  return () => clearTimeout(timer);
};

export const isoDate = (clock: Clock): string => new Date(clock().date).toISOString();

/**
 * Milliseconds, by whichever clock moved further: Lambda may freeze the monotonic clock with the process, and the wall
 * clock may be set back.
 */
export const elapsed = (from: ClockReading, to: ClockReading): number =>
  Math.max(to.monotonic - from.monotonic, Math.abs(to.date - from.date));
