import type { Template } from 'aws-cdk-lib/assertions';
import {
  type AlarmProperties,
  alarmsOf,
  type CompositeProperties,
  compositesOf,
} from './alarms.ts';
import { compositeStates, evaluated } from './cloudwatch.ts';
import { type Happened, type Occurrence, recordedBy } from './recorded.ts';
import list from './scenarios.json' with { type: 'json' };

/** An average rate, either per minute or as one in a number of minutes (`1/14`). */
type Rate = number | string;
/** Events at even intervals between two minutes. */
interface Even {
  rate: Rate;
  from: number;
  until?: number;
}
/** Events that each follow another kind of event after a number of minutes. */
interface Following {
  after: string;
  minutes: number;
}
/** The events of a phase, by the names below. A plain rate stands for random arrivals (a Poisson process). */
type Happening = Readonly<Record<string, Rate | Even | Following>>;

interface Scenario {
  fault: string;
  rate: string;
  /** The events before the fault and during the fault. */
  before?: Happening;
  during: Happening;
  /** The lengths of both phases in minutes. By default, half a day and a day. */
  well?: number;
  lasts?: number;
  /** An alarm that must notice the fault in all draws, and the minutes within which it must do so. */
  within?: (string | number)[];
  /**
   * The maximum number of notifications that an alarm may send in a day, on average. By default, an alarm sends one,
   * and in a few draws a second one before its window is full.
   */
  aDay?: number;
  /**
   * The maximum share of draws in which an alarm notices the fault. By default, an alarm must notice it in all draws.
   */
  atMost?: number;
  /** The reason why alarms miss some draws or send more notifications. */
  remark?: string;
}

export const scenarios: readonly Scenario[] = list;

const NORMAL = { Count: 1, '4xx': 0, '5xx': 0, Latency: 50, Errors: 0, Throttles: 0, Duration: 50 };
/** Returns a request to `get-application`. It has no log line if the function wrote no line. */
const request = (aws: Occurrence['aws'], line?: Occurrence['line']): Occurrence => ({
  aws: { ...NORMAL, ...aws },
  ...(line && { line }),
});
const accepted = (outcome: string, others = {}) => ({ outcome, tenant: 'default', ...others });
const change = { operation: 'updateJobStatus', status_changed_to: 'closed' };

const occurrences: Readonly<Record<string, Occurrence>> = {
  ok: request({}, accepted('ok')),
  slow: request({ Latency: 3000, Duration: 3000 }, accepted('ok')),
  crash: request({ '5xx': 1, Errors: 1 }),
  internal: request({ '5xx': 1 }, accepted('internal')),
  unavailable: request({ '5xx': 1 }, accepted('unavailable')),
  stored_data_invalid: request({ '5xx': 1 }, accepted('stored_data_invalid')),
  insufficient_scope: request({ '4xx': 1 }, accepted('insufficient_scope')),
  not_found: request({ '4xx': 1 }, accepted('application_not_found')),
  invalid_token: request({ '4xx': 1 }, { outcome: 'invalid_token' }),
  no_tenant: request({ '4xx': 1 }, { outcome: 'no_tenant' }),
  unauthenticated: request({ '4xx': 1 }, { outcome: 'unauthenticated' }),
  'throttled by the stage': request({ '4xx': 1, throttled_requests: 1 }),
  'throttled by Lambda': request({ '5xx': 1, Throttles: 1 }),
  'throttled by DynamoDB': request({ '5xx': 1, ReadThrottleEvents: 1 }, accepted('unavailable')),
  change: request({}, accepted('ok', change)),
  'lost change': request({}, accepted('ok', change)),
  event: { aws: { EventCount: 1, ExecutionFailed: 0 } },
  'failed execution': { aws: { ExecutionFailed: 1 } },
  letter: { aws: { ApproximateNumberOfMessagesVisible: 1 } },
  '29 days left': { aws: { DaysToExpiry: 29 } },
};

/** Returns a generator of random numbers from 0 to 1, which are the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a random number of arrivals for a minute with `mean` arrivals on average. */
function arrivals(mean: number, random: () => number): number {
  let left = random();
  let probability = Math.exp(-mean);
  let count = 0;
  while (left > probability && probability > 0) {
    left -= probability;
    count += 1;
    probability *= mean / count;
  }
  return count;
}

const perMinute = (rate: Rate) => {
  const [count = 0, minutes = 1] = String(rate).split('/').map(Number);
  return count / minutes;
};

/** Returns how often an event happens in each minute. */
function countsOf(
  often: Even | Rate,
  minutes: number,
  random: () => number,
): (minute: number) => number {
  if (typeof often !== 'object') {
    const mean = perMinute(often);
    const counts = Array.from({ length: minutes }, () => arrivals(mean, random));
    return (minute) => counts[minute] ?? 0;
  }
  const { rate, from, until = minutes } = often;
  const mean = perMinute(rate);
  // Add a little, because a sum of tenths is slightly less than the whole number.
  const due = (end: number) => Math.floor(end * mean + 1e-9);
  return (minute) =>
    minute < from || minute >= until ? 0 : due(minute - from + 1) - due(minute - from);
}

/** Returns how often each event happens in a phase, which begins after an offset in minutes. */
function happen(happening: Happening, begin: number, minutes: number, random: () => number) {
  const counts = new Map<string, (minute: number) => number>();
  return Object.entries(happening).map(([name, often]): Happened => {
    const [, what = '', isNew] = /^(.*?)( of the new version)?$/.exec(name) ?? [];
    const occurrence = occurrences[what];
    if (occurrence === undefined) throw new Error(`There is no occurrence ${what}.`);
    const count =
      typeof often === 'object' && 'after' in often
        ? (minute: number) => counts.get(often.after)?.(minute - often.minutes) ?? 0
        : countsOf(often, minutes, random);
    counts.set(name, count);
    return {
      occurrence: isNew ? { ...occurrence, isNew: true } : occurrence,
      counts: Array.from({ length: begin + minutes }, (_, minute) =>
        minute < begin ? 0 : count(minute - begin),
      ),
    };
  });
}

/** A notice of a fault: the alarm, the minutes until it goes to ALARM, and how often it does so during the fault. */
interface Notice {
  alarm: string;
  minutes: number;
  times: number;
}

/** The assumed number of extra periods in an alarm's evaluation range. AWS does not document the number. */
const EXTRA = [() => 0, () => 2, (periods: number) => periods];

/**
 * Plays a scenario with the random arrivals of one draw.
 * @returns the alarms that notice the fault, without the parts of composite alarms.
 * @throws Error if an alarm goes to ALARM before the fault.
 */
export function play(template: Template, scenario: Scenario, seed: number): Notice[] {
  const { before, during, lasts = 1440, well = 720 } = scenario;
  const random = randomNumbers(seed);
  const start = before === undefined ? 0 : well;
  const recorded = recordedBy(template, [
    ...happen(before ?? {}, 0, start, random),
    ...happen(during, start, lasts, random),
  ]);
  const extraOf = EXTRA[seed % EXTRA.length] ?? (() => 0);
  const { metricAlarms, composites } = allAlarmsOf(template);
  const all = metricAlarms.map(([name, alarm]) => {
    const extra = extraOf(alarm.EvaluationPeriods);
    return { name, id: alarm.id, states: evaluated(alarm, recorded, start + lasts, extra) };
  });
  const states = new Map(all.map((it) => [it.id, it.states]));
  const rules = composites.map(([, { rule }]) => rule).join(' ');
  return [
    ...composites.map(([name, alarm]) => ({
      ...{ name, states: compositeStates(alarm, (id) => states.get(id) ?? []) },
    })),
    ...all.filter(({ id }) => !rules.includes(id)),
  ].flatMap(({ name, states }) => {
    const entries = states.flatMap((state, minute) =>
      state === 'ALARM' && states[minute - 1] !== 'ALARM' ? [minute - start] : [],
    );
    const [first] = entries;
    if (first === undefined) return [];
    if (first < 0) throw new Error(`${name} is in ALARM before the fault.`);
    return [{ alarm: name, minutes: first + 1, times: entries.length }];
  });
}

/** Returns the alarms of a template. Each template is read only once. */
function allAlarmsOf(template: Template) {
  const found = alarmsBy.get(template) ?? {
    metricAlarms: [...alarmsOf(template)],
    composites: [...compositesOf(template)],
  };
  alarmsBy.set(template, found);
  return found;
}

const alarmsBy = new WeakMap<
  Template,
  { metricAlarms: [string, AlarmProperties][]; composites: [string, CompositeProperties][] }
>();

/** The results of a scenario's draws. */
export interface Result {
  scenario: Scenario;
  /** The notices of each draw. */
  draws: Notice[][];
}

/** Plays each scenario several times. Tests share the results, because playing takes long. */
export function resultsOf(template: Template, draws: number, seed: number): Result[] {
  const key = `${draws} from ${seed}`;
  const results =
    resultsBy.get(template)?.get(key) ??
    scenarios.map((scenario) => ({
      scenario,
      draws: Array.from({ length: draws }, (_, nth) => play(template, scenario, seed + nth)),
    }));
  resultsBy.set(template, new Map([[key, results]]));
  return results;
}

const resultsBy = new WeakMap<Template, Map<string, Result[]>>();

/** Returns how often an alarm goes to ALARM in a day, on average. A shorter fault counts as a whole day. */
export const timesADay = ({ scenario, draws }: Result, ofAlarm?: string): number => {
  const all = draws.flat().filter(({ alarm }) => ofAlarm === undefined || alarm === ofAlarm);
  const times = all.reduce((sum, it) => sum + it.times, 0);
  return times / draws.length / Math.max(1, (scenario.lasts ?? 1440) / 1440);
};
