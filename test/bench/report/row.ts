import { type Summary, summarize } from '../statistics.ts';

/** A line of the table: what was measured, what it is compared with, and what it may be at most. */
export interface Row {
  what: string;
  unit: string;
  measured: Summary;
  against?: { name: string; measured: Summary };
  /** How the two compare: a ratio without unit, or a difference in the unit. */
  comparison?: { kind: 'ratio' | 'difference'; value: number; spread: Summary };
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

/** A line that compares two series by the ratio of their medians. */
export function ratioRow(heading: Heading, values: readonly number[], against: Series): Row {
  const measured = summarize(values);
  const other = summarize(against.values);
  return {
    ...headed(heading),
    measured,
    against: { name: against.name, measured: other },
    comparison: {
      kind: 'ratio',
      value: measured.median / other.median,
      spread: paired(values, against.values, (one, rival) => one / rival),
    },
  };
}

/**
 * A line that compares two series by the median of their differences, round by round: a difference
 * that is small beside what the rounds differ by is lost between two medians.
 */
export function differenceRow(heading: Heading, measured: readonly number[], against: Series): Row {
  const spread = paired(measured, against.values, (one, other) => one - other);
  return {
    ...headed(heading),
    measured: summarize(measured),
    against: { name: against.name, measured: summarize(against.values) },
    comparison: { kind: 'difference', value: spread.median, spread },
  };
}

/** How two series compare in each round: what slowed one of them mostly slowed the other. */
function paired(
  values: readonly number[],
  rivals: readonly number[],
  compare: (value: number, rival: number) => number,
): Summary {
  const compared = values.flatMap((value, round) => {
    const rival = rivals[round];
    return rival === undefined ? [] : [compare(value, rival)];
  });
  return summarize(compared);
}

const headed = ({ what, unit, target }: Heading) => ({
  what,
  unit,
  ...(target !== undefined && { target }),
});

/** Whether a line's target holds; undefined where it has none. */
export function holds({ measured, comparison, target }: Row): boolean | undefined {
  return target === undefined ? undefined : (comparison?.value ?? measured.median) <= target;
}
