/** A line of the table. */
export interface Row {
  metric: string;
  operation: string;
  unit: string;
  /** One measurement for each round. */
  ours: readonly number[];
  /** What ours is compared with: measurements of the same rounds. */
  other: { label: string; values: readonly number[] };
}

const WIDTHS = [15, 17, 22, 24, 22];

/** A row as a line of the table: medians, with the least and the greatest in brackets. */
export function lineOf({ metric, operation, unit, ours, other }: Row): string {
  const ratios = ours.map((value, round) => value / (other.values[round] ?? Number.NaN));
  const cells = [
    metric,
    operation,
    `${summary(ours)} ${unit}`,
    other.label,
    `${summary(other.values)} ${unit}`,
    `×${summary(ratios)}`,
  ];
  return cells.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join(' ');
}

/** The median, between two values their mean, and the least and the greatest. */
function summary(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const median = digits((at(Math.floor(middle)) + at(Math.ceil(middle))) / 2);
  return sorted.length === 1
    ? median
    : `${median} (${digits(at(0))}–${digits(at(sorted.length - 1))})`;
}

/** Three significant digits. */
const digits = (value: number) => String(Number(value.toPrecision(3)));
