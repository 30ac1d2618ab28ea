/** A moment by both clocks, in milliseconds. */
export interface Moment {
  /** By the wall clock, since 1970. */
  date: number;
  /** By a clock that only goes forward. */
  monotonic: number;
}

/** The present moment. */
export const presentMoment = (monotonic = performance.now()): Moment => ({
  date: Date.now(),
  monotonic,
});

/**
 * How long ago a moment was, in milliseconds, by the clock that has moved further: one may stand still in
 * a process that Lambda has frozen, the other may be set back.
 */
export const elapsedSince = ({ date, monotonic }: Moment, now = performance.now()): number =>
  Math.max(now - monotonic, Math.abs(Date.now() - date));
