/**
 * The shares of `count` things under Zipf's law, the greatest first: the share of the one of rank r is
 * in proportion to r to the power of `-exponent`. They sum up to 1; with the exponent 0 all are equal.
 */
export function zipfShares(count: number, exponent: number): Float64Array {
  const shares = Float64Array.from({ length: count }, (_, index) => (index + 1) ** -exponent);
  // The smallest first, so that they are not lost beside the greatest.
  const total = shares.reduceRight((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

/** The sums of the values up to each one and with it. */
export function cumulated(values: Float64Array): Float64Array {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** The index of the first of the ascending `sums`, from `from` on, that is above `value`; else the last. */
export function indexAbove(sums: Float64Array, value: number, from = 0, to = sums.length): number {
  let low = from;
  let high = to - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
