export interface Row {
  metric: string;
  operation: string;
  unit: string;
  /** One value per round, paired by index with `other.values`. */
  ours: readonly number[];
  other: { label: string; values: readonly number[] };
}

export function lineOf(row: Row): string {
  const { metric, operation, unit, ours, other } = row;
  const [own, its, ratio] = [ours, other.values, ratiosOf(row)].map((values) => {
    const { least, median, greatest } = spreadOf(values);
    return `${digits(median)} (${digits(least)}–${digits(greatest)})`;
  });
  return `${metric}, ${operation}: ${own} ${unit}; ${other.label}: ${its} ${unit}; ratio ${ratio}`;
}

const ratiosOf = ({ ours, other }: Row) =>
  ours.map((value, round) => value / (other.values[round] ?? Number.NaN));

function spreadOf(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return { least: at(0), median, greatest: at(sorted.length - 1) };
}

const digits = (value: number) => String(Number(value.toPrecision(3)));
