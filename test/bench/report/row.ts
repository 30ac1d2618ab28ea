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
export const ratioRow = (heading: Heading, measured: readonly number[], against: Series): Row =>
  comparedRow(heading, measured, against, 'ratio', (one, other) => one / other);

/** A line that compares two series by the difference of their medians. */
export const differenceRow = (heading: Heading, measured: readonly number[], against: Series) =>
  comparedRow(heading, measured, against, 'difference', (one, other) => one - other);

function comparedRow(
  heading: Heading,
  values: readonly number[],
  against: Series,
  kind: 'ratio' | 'difference',
  compare: (one: number, other: number) => number,
): Row {
  const measured = summarize(values);
  const other = summarize(against.values);
  const paired = values.flatMap((value, round) => {
    const rival = against.values[round];
    return rival === undefined ? [] : [compare(value, rival)];
  });
  return {
    ...headed(heading),
    measured,
    against: { name: against.name, measured: other },
    comparison: {
      kind,
      value: compare(measured.median, other.median),
      // Of the rounds: what slowed one of the two mostly slowed the other.
      spread: summarize(paired),
    },
  };
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
