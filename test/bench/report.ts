/** A line of the table. */
export interface Row {
  metric: string;
  /** The operation, or what grows. */
  what: string;
  unit: string;
  /** One measurement for each round. */
  ours: readonly number[];
  /** What ours is compared with: measurements of the same rounds. */
  other?: { label: string; values: readonly number[] };
  /** The most that the ratio may be, or without one the measurement. */
  target?: number | undefined;
}

const WIDTHS = [15, 26, 22, 24, 22, 22, 8];

/** A row as a line of the table: medians, with the least and the greatest in brackets. */
export function lineOf({ metric, what, unit, ours, other, target }: Row): string {
  const ratios = other?.values.flatMap((value, round) => {
    const own = ours[round];
    return own === undefined ? [] : [own / value];
  });
  const { median } = summarize(ratios ?? ours);
  const cells = [
    metric,
    what,
    `${written(ours)} ${unit}`,
    other?.label ?? '',
    other === undefined ? '' : `${written(other.values)} ${unit}`,
    ratios === undefined ? '' : `×${written(ratios)}`,
    target === undefined ? '' : `≤ ${target}`,
    target === undefined ? '' : median <= target ? 'met' : 'missed',
  ];
  const line = cells.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join(' ');
  return line.trimEnd();
}

/** The median of several measurements, between two of them their mean, and how far they lie apart. */
export function summarize(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    greatest: at(sorted.length - 1),
  };
}

function written(values: readonly number[]): string {
  const { median, least, greatest } = summarize(values);
  return least === greatest
    ? digits(median)
    : `${digits(median)} (${digits(least)}–${digits(greatest)})`;
}

/** Three significant digits; more if it has as many before the point. */
function digits(value: number): string {
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return Number.isInteger(value) ? String(value) : value.toFixed(decimals);
}
