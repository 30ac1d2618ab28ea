import { type Summary, summarize } from '../statistics.ts';

/** A line of the table: what was measured, what it is compared with, and what it may be at most. */
export interface Row {
  what: string;
  unit: string;
  measured: Summary;
  against?: { name: string; measured: Summary };
  /** How the two compare: a ratio without unit, or a difference in the unit. */
  comparison?: { kind: 'ratio' | 'difference'; result: Summary };
  target?: number;
}

/** Measurements, and what they are called. */
export interface Series {
  name: string;
  values: readonly number[];
}

interface Heading {
  what: string;
  unit: string;
  target?: number | undefined;
}

/** A line of one series alone. */
export const plainRow = (heading: Heading, values: readonly number[]): Row => ({
  ...headed(heading),
  measured: summarize(values),
});

/** A line that compares two series by their ratio. */
export const ratioRow = (heading: Heading, measured: readonly number[], against: Series): Row =>
  comparedRow(heading, measured, against, 'ratio', (one, other) => one / other);

/** A line that compares two series by their difference. */
export const differenceRow = (heading: Heading, measured: readonly number[], against: Series) =>
  comparedRow(heading, measured, against, 'difference', (one, other) => one - other);

/**
 * Compares the measurements of each round, and takes the median of that: what slowed one of the two
 * mostly slowed the other, which two medians would not tell.
 */
function comparedRow(
  heading: Heading,
  measured: readonly number[],
  { name, values }: Series,
  kind: 'ratio' | 'difference',
  compare: (one: number, other: number) => number,
): Row {
  const compared = measured.flatMap((value, round) => {
    const other = values[round];
    return other === undefined ? [] : [compare(value, other)];
  });
  return {
    ...headed(heading),
    measured: summarize(measured),
    against: { name, measured: summarize(values) },
    comparison: { kind, result: summarize(compared) },
  };
}

const headed = ({ what, unit, target }: Heading) => ({
  what,
  unit,
  ...(target !== undefined && { target }),
});

/** Whether a line's target holds; undefined where it has none. */
export function holds({ measured, comparison, target }: Row): boolean | undefined {
  return target === undefined ? undefined : (comparison?.result ?? measured).median <= target;
}
