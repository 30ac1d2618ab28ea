import { type Summary, summarize } from '../statistics.ts';

/** A line of the table: what was measured, what it is compared with, and what it may be at most. */
export interface Row {
  what: string;
  unit: string;
  measured: Summary;
  /** What it is compared with. */
  against?: { name: string; measured: Summary };
  /** What is held against the target: the ratio of the medians, or the measured median itself. */
  value: number;
  /** Of the ratios of each round, where the value is a ratio. */
  spread?: Summary;
  target?: number;
}

/** Measurements, and what they are called. */
export interface Series {
  name: string;
  values: readonly number[];
}

/** A line whose value is the ratio of two medians. */
export function ratioRow(
  what: string,
  unit: string,
  { values }: Series,
  against: Series,
  target?: number,
): Row {
  const measured = summarize(values);
  const other = summarize(against.values);
  return {
    what,
    unit,
    measured,
    against: { name: against.name, measured: other },
    value: measured.median / other.median,
    spread: summarize(values.map((value, round) => value / (against.values[round] ?? value))),
    ...(target !== undefined && { target }),
  };
}

/** Whether a line's target holds; undefined where it has none. */
export const holds = ({ value, target }: Row): boolean | undefined =>
  target === undefined ? undefined : value <= target;
