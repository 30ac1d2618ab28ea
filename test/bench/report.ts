import { type MetricName, metrics } from './targets.ts';

/** A line of the table. */
export interface Row {
  metric: MetricName;
  what: string;
  /** One measurement for each round. */
  ours: readonly number[];
  /** What ours is compared with: measurements of the same rounds. */
  against?: { label: string; values: readonly number[] };
  /** The most that the ratio may be, or without one the measurement. */
  target?: number | undefined;
}

const WIDTHS = [26, 22, 24, 22, 22, 8];

/** A row's cells: medians, with the least and the greatest in brackets. */
export function lineOf({ ours, against, metric, target, what }: Row): string {
  const { unit } = metrics[metric];
  const ratios = against?.values.flatMap((value, round) => {
    const own = ours[round];
    return own === undefined ? [] : [own / value];
  });
  const { median } = summarize(ratios ?? ours);
  const cells = [
    what,
    `${written(ours)} ${unit}`,
    against?.label ?? '',
    against === undefined ? '' : `${written(against.values)} ${unit}`,
    ratios === undefined ? '' : `×${written(ratios)}`,
    target === undefined ? '' : `≤ ${target}`,
    target === undefined ? '' : median <= target ? 'met' : 'missed',
  ];
  return cells
    .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0))
    .join(' ')
    .trimEnd();
}

/** The rows as text, under the meaning of each metric. */
export function tableOf(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, (row) => row.metric);
  return [...groups]
    .map(([metric, group]) => `\n${metrics[metric].meaning}\n${group.map(lineOf).join('\n')}\n`)
    .join('');
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
