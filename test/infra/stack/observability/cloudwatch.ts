import {
  type AlarmProperties,
  type CompositeProperties,
  type MetricStat,
  readMetrics,
} from './alarms.ts';
import { metricMath, type Value } from './metric-math.ts';

export type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
type Rules = Pick<AlarmProperties, 'EvaluationPeriods' | 'DatapointsToAlarm' | 'TreatMissingData'>;

/**
 * Returns an alarm's next state. The evaluation range says for each datapoint, oldest first, whether the datapoint is
 * breaching, or undefined if it is missing. The range is longer than the evaluation periods, and AWS does not document
 * by how much (Amazon CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing data").
 */
export function nextState(
  range: readonly (boolean | undefined)[],
  rules: Rules,
  state: State,
): State {
  const real = range.filter((it) => it !== undefined).slice(-rules.EvaluationPeriods);
  return stateOf(real.length, real.filter(Boolean).length, rules, state);
}

/** Returns the next state for the number of real datapoints, and for the number of breaching ones among them. */
function stateOf(
  real: number,
  breaching: number,
  { EvaluationPeriods: periods, DatapointsToAlarm: needed, TreatMissingData: treatment }: Rules,
  state: State,
): State {
  if (breaching >= needed) return 'ALARM';
  return treatment === 'ignore' && real < periods && real === breaching ? state : 'OK';
}

/** A metric's recorded values in ascending order, with the count of each. */
type Recordings = readonly { readonly value: number; readonly count: number }[];
/** A metric's recorded values, with the count of each in every minute. */
export type Recorded = (
  metric: MetricStat['Metric'],
) => readonly { value: number; counts: readonly number[] }[];

const total = (all: Recordings) => all.reduce((sum, { value, count }) => sum + value * count, 0);
const size = (all: Recordings) => all.reduce((sum, { count }) => sum + count, 0);
const isRecorded = ({ count }: Recordings[number]) => count > 0;
const STATISTICS: Readonly<Record<string, (all: Recordings) => Value>> = {
  Sum: total,
  Average: (all) => total(all) / size(all),
  Maximum: (all) => all.findLast(isRecorded)?.value,
  Minimum: (all) => all.find(isRecorded)?.value,
  p99: (all) => percentile(all, 0.99),
  'p99.5': (all) => percentile(all, 0.995),
};

function percentile(all: Recordings, share: number): Value {
  let left = Math.ceil(size(all) * share);
  return all.find(({ count }) => {
    left -= count;
    return left <= 0;
  })?.value;
}

/**
 * Evaluates an alarm over a number of minutes with recorded metrics. Each minute ends a period, because the window
 * slides (Amazon CloudWatch User Guide, "Alarm evaluation window").
 * @param extra the number of datapoints in the evaluation range beyond the evaluation periods.
 * @returns the alarm's state after each minute.
 */
export function evaluated(
  alarm: AlarmProperties,
  recorded: Recorded,
  minutes: number,
  extra: number,
): State[] {
  const { expression, metrics } = readMetrics(alarm);
  const { read, repeats } = metricMath(expression);
  const series = Object.entries(metrics).flatMap(([id, metric]) => {
    const values = valuesOf(metric, recorded(metric.Metric), minutes);
    return values ? [{ id, values }] : [];
  });
  const current: Record<string, Value> = {};
  let last = isBreaching(alarm, read(current));
  const breaching = Array.from({ length: series.length === 0 ? 0 : minutes }, (_, minute) => {
    let hasChanged = false;
    for (const { id, values } of series) {
      hasChanged ||= values[minute] !== current[id];
      current[id] = values[minute];
    }
    if (hasChanged) last = isBreaching(alarm, read(current));
    return last;
  });
  // No alarm of the stack treats missing data as breaching.
  if (!breaching.some(Boolean)) return Array.from({ length: minutes }, () => 'OK');
  const step = (Object.values(metrics)[0]?.Period ?? 0) / 60;
  const length = alarm.EvaluationPeriods + extra;
  return repeats
    ? statesWithRepeats(breaching, step, length, alarm)
    : statesOf(breaching, step, length, alarm);
}

type Datapoints = readonly (boolean | undefined)[];

function isBreaching({ ComparisonOperator: operator, Threshold }: AlarmProperties, value: Value) {
  if (value === undefined) return undefined;
  return operator === 'LessThanThreshold' ? value < Threshold : value > Threshold;
}

function statesWithRepeats(breaching: Datapoints, step: number, length: number, rules: Rules) {
  let state: State = 'INSUFFICIENT_DATA';
  return breaching.map((_, minute) => {
    let last: boolean | undefined;
    const range = Array.from({ length }, (_, index) => {
      last = breaching[minute - (length - 1 - index) * step] ?? last;
      return last;
    });
    state = nextState(range, rules, state);
    return state;
  });
}

/** Returns an alarm's states. Each datapoint is counted once, because a range may have thousands of datapoints. */
function statesOf(breaching: Datapoints, step: number, length: number, rules: Rules): State[] {
  // One running count of breaching datapoints for each offset within a period.
  const counts = Array.from({ length: step }, () => [0]);
  const realUntil: number[] = [];
  let state: State = 'INSUFFICIENT_DATA';
  return breaching.map((datapoint, minute) => {
    const count = counts[minute % step] ?? [];
    if (datapoint !== undefined) count.push((count.at(-1) ?? 0) + Number(datapoint));
    const end = count.length - 1;
    realUntil.push(end);
    const real = Math.min(rules.EvaluationPeriods, end - (realUntil[minute - length * step] ?? 0));
    state = stateOf(real, (count[end] ?? 0) - (count[end - real] ?? 0), rules, state);
    return state;
  });
}

/**
 * Returns the metric's value for the period that ends with each minute, or undefined if the metric never has a value.
 */
function valuesOf(
  { Period, Stat }: MetricStat,
  recorded: ReturnType<Recorded>,
  minutes: number,
): Value[] | undefined {
  const statistic = STATISTICS[Stat];
  if (statistic === undefined) throw new Error(`The statistic ${Stat} is unknown.`);
  if (recorded.length === 0) return undefined;
  const period = Period / 60;
  const inPeriod = recorded
    .map(({ value, counts }) => ({ value, counts, count: 0 }))
    .toSorted((one, other) => one.value - other.value);
  let value: Value;
  return Array.from({ length: minutes }, (_, minute) => {
    let hasChanged = false;
    for (const each of inPeriod) {
      const change = (each.counts[minute] ?? 0) - (each.counts[minute - period] ?? 0);
      each.count += change;
      hasChanged ||= change !== 0;
    }
    if (hasChanged) value = inPeriod.some(isRecorded) ? statistic(inPeriod) : undefined;
    return value;
  });
}

/** Returns a composite alarm's states for the states of its parts, which are given by logical id. */
export function compositeStates(
  { rule }: CompositeProperties,
  statesBy: (id: string) => readonly State[],
): State[] {
  const tokens = rule.match(/\w+|\S/g) ?? [];
  const take = (expected?: string) => {
    const token = tokens.shift();
    if (token === undefined || token !== (expected ?? token)) throw new Error(rule);
    return token;
  };
  const operand = (): boolean[] => {
    if (tokens[0] === '(') {
      take('(');
      const inner = operation();
      take(')');
      return inner;
    }
    for (const expected of ['ALARM', '(', '"']) take(expected);
    const states = statesBy(take());
    for (const expected of ['"', ')']) take(expected);
    return states.map((state) => state === 'ALARM');
  };
  const operation = (): boolean[] => {
    let left = operand();
    while (tokens[0] === 'AND' || tokens[0] === 'OR') {
      const isAnd = take() === 'AND';
      const right = operand();
      left = left.map((it, minute) => (isAnd ? it && right[minute] : it || right[minute]) === true);
    }
    return left;
  };
  const holds = operation();
  if (tokens.length > 0) throw new Error(rule);
  return holds.map((it) => (it ? 'ALARM' : 'OK'));
}
