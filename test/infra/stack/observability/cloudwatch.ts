import { type AlarmProperties, type MetricStat, readMetrics } from './alarms.ts';
import { metricMath, type Value } from './metric-math.ts';

export type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
type Rules = Pick<AlarmProperties, 'EvaluationPeriods' | 'DatapointsToAlarm' | 'TreatMissingData'>;

/**
 * The next state of an alarm, from whether each datapoint of its evaluation range is breaching, the newest last, or
 * undefined if it is missing. Real datapoints count as far back as the range goes; the range is longer than the
 * evaluation periods, and AWS does not say by how much (Amazon CloudWatch User Guide, "Configuring how CloudWatch
 * alarms treat missing data").
 */
export function nextState(
  range: readonly (boolean | undefined)[],
  { EvaluationPeriods: periods, DatapointsToAlarm: needed, TreatMissingData: treatment }: Rules,
  state: State,
): State {
  const real = range.filter((it) => it !== undefined).slice(-periods);
  if (real.filter(Boolean).length >= needed) return 'ALARM';
  const keeps = treatment === 'ignore' && real.length < periods && real.every(Boolean);
  return keeps ? state : 'OK';
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const STATISTICS: Readonly<Record<string, (values: number[]) => Value>> = {
  Sum: sum,
  Average: (values) => sum(values) / values.length,
  Maximum: (values) => Math.max(...values),
  Minimum: (values) => Math.min(...values),
  p99: (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1],
};

/** What a metric recorded in each minute. */
export type Recorded = (metric: MetricStat['Metric']) => readonly (readonly number[])[];

/**
 * Evaluates an alarm minute by minute over what its metrics recorded. Periods end with the minute (Amazon CloudWatch
 * User Guide, "Alarm evaluation window").
 * @returns its states, if the evaluation range has so many datapoints more than the evaluation periods.
 */
export function evaluated(alarm: AlarmProperties, recorded: Recorded): (extra: number) => State[] {
  const { expression, metrics } = readMetrics(alarm);
  const { read, repeats } = metricMath(expression);
  const series = Object.entries(metrics).map(([id, metric]) => ({
    id,
    values: valuesOf(metric, recorded),
  }));
  const values = (series[0]?.values ?? []).map((_, minute) =>
    read(Object.fromEntries(series.map((each) => [each.id, each.values[minute]]))),
  );
  const period = Object.values(metrics)[0]?.Period ?? 0;
  const isBreaching = (value: Value) => {
    if (value === undefined) return undefined;
    const { ComparisonOperator: operator, Threshold: threshold } = alarm;
    return operator === 'LessThanThreshold' ? value < threshold : value > threshold;
  };
  // The worse of what AWS's pages say of DynamoDB's metrics: that an alarm ignores missing data in any case.
  const isOfDynamodb = Object.values(metrics).some((it) => it.Metric.Namespace === 'AWS/DynamoDB');
  const rules = { ...alarm, ...(isOfDynamodb && { TreatMissingData: 'ignore' as const }) };
  // Missing data breaches in no alarm of the stack.
  const canAlarm = values.some(isBreaching);
  return (extra) => {
    if (!canAlarm) return values.map(() => 'OK');
    const length = alarm.EvaluationPeriods + extra;
    let state: State = 'INSUFFICIENT_DATA';
    return values.map((_, minute) => {
      let last: Value;
      const range = Array.from({ length }, (_, index) => {
        const value = values[minute - ((length - 1 - index) * period) / 60];
        last = repeats ? (value ?? last) : value;
        return isBreaching(last);
      });
      state = nextState(range, rules, state);
      return state;
    });
  };
}

/** The values of a metric's period that ends with each minute. */
function valuesOf({ Metric, Period, Stat }: MetricStat, recorded: Recorded): Value[] {
  const minutes = recorded(Metric);
  return minutes.map((_, minute) => {
    const values = minutes.slice(Math.max(0, minute + 1 - Period / 60), minute + 1).flat();
    return values.length === 0 ? undefined : STATISTICS[Stat]?.(values);
  });
}
