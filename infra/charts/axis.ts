/** One axis of a chart. */
export interface Axis {
  label: string;
  scale: 'linear' | 'log';
  /** Shown behind the label, in parentheses. */
  unit?: string;
  /** Where to put the ticks, and so where the axis begins and ends; by default at round values. */
  ticks?: readonly number[];
  /** Whether ticks are written out, 1,769, where they are else made short, 1.769K. */
  writtenOut?: boolean;
}

/** An axis that knows its ends: from values to places between 0 and 1. */
export interface Scale {
  ticks: readonly number[];
  /** 0 at the beginning of the axis, 1 at its end. */
  place(value: number): number;
}

/** The steps of a decade that read as round. */
const ROUND = [1, 2, 5, 10];
/** About how many ticks a linear axis has. */
const TICKS = 6;
/** From so many decades on, a logarithmic axis has a tick at each decade only. */
const MANY_DECADES = 3;

/**
 * Lays an axis out over `values`, from the round value below the least to the one above the greatest.
 * @throws RangeError where a value has no place on it: none of them, not finite, or not above 0 if logarithmic.
 */
export function scaleOf({ label, scale, ticks }: Axis, values: readonly number[]): Scale {
  const all = [...values, ...(ticks ?? [])];
  const isLog = scale === 'log';
  const wrong = all.find((value) => !Number.isFinite(value) || (isLog && value <= 0));
  if (values.length === 0) throw new RangeError(`The axis "${label}" has no values.`);
  if (wrong !== undefined) {
    throw new RangeError(`The ${scale} axis "${label}" has no place for ${wrong}.`);
  }
  const [least, greatest] = extremes(all);
  const laid = ticks ?? (isLog ? logTicks(least, greatest) : linearTicks(least, greatest));
  const measure = isLog ? Math.log10 : (value: number) => value;
  const [from, to] = extremes([...laid, ...all]).map(measure);
  return { ticks: laid, place: placing(measure, from ?? 0, to ?? 1) };
}

const placing = (measure: (value: number) => number, from: number, to: number) => (value: number) =>
  (measure(value) - from) / (to - from || 1);

/** Not `Math.min(...values)`: a call takes no more than some hundred thousand arguments. */
function extremes(values: readonly number[]): [number, number] {
  return [
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    values.reduce((greatest, value) => Math.max(greatest, value), Number.NEGATIVE_INFINITY),
  ];
}

function linearTicks(least: number, greatest: number): number[] {
  const rough = (greatest - least || Math.abs(greatest) || 1) / TICKS;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = (ROUND.find((one) => one * decade >= rough) ?? 1) * decade;
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(greatest / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => exact((first + index) * step));
}

function logTicks(least: number, greatest: number): number[] {
  const first = Math.floor(Math.log10(least));
  const last = Math.max(Math.ceil(Math.log10(greatest)), first + 1);
  const decades = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
  if (decades.length > MANY_DECADES) return decades.map(exact);
  const round = decades.flatMap((decade) => ROUND.slice(0, 3).map((one) => exact(one * decade)));
  const from = round.findLastIndex((tick) => tick <= least);
  const to = round.findIndex((tick) => tick >= greatest);
  return round.slice(Math.max(from, 0), Math.max(to, from + 1) + 1);
}

/** Without the last digits that binary fractions leave: 0.30000000000000004. */
const exact = (value: number) => Number(value.toPrecision(12));
