/** The middle of several measurements, and how far half of them lie around it. */
export interface Summary {
  median: number;
  lowerQuartile: number;
  upperQuartile: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((one, other) => one - other);
  return {
    median: quantile(sorted, 0.5),
    lowerQuartile: quantile(sorted, 0.25),
    upperQuartile: quantile(sorted, 0.75),
  };
}

/** Between two measurements, the quantile is interpolated. */
function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
