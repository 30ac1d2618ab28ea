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

/** How often something happens on average: so many a minute, or one in so many minutes (`1/14`). */
type Rate = number | string;
/** What happens evenly spaced, from a minute until another. */
interface Even {
  rate: Rate;
  from: number;
  until?: number;
}
/** What follows each occurrence of another kind after so many minutes. */
interface Following {
  after: string;
  minutes: number;
}
/** What happens, by the names below. A rate alone is that of random arrivals (a Poisson process). */
type Happening = Readonly<Record<string, Rate | Even | Following>>;

export interface Scenario {
  fault: string;
  rate: string;
  /** What happens in the time before the fault, and during the fault. */
  before?: Happening;
  during: Happening;
  /** How long that time and the fault last, in minutes: half a day and a day, unless the scenario says otherwise. */
  well?: number;
  lasts?: number;
  /** An alarm that must notice the fault in all draws, and within how many minutes. */
  within?: (string | number)[];
  /**
   * The most notifications a day that an alarm may send on average. Without it, an alarm sends one, and in a few draws
   * another while its window is not yet full.
   */
  aDay?: number;
  /** The most draws in which an alarm notices it, as a share. Without it, an alarm notices the fault in all. */
  atMost?: number;
  /** Why not all draws are noticed, or why there are more notifications. */
  remark?: string;
}

export const scenarios: readonly Scenario[] = list;

const NORMAL = { Count: 1, '4xx': 0, '5xx': 0, Latency: 50, Errors: 0, Throttles: 0, Duration: 50 };
/** A request to `get-application`; without a log line if the function wrote none. */
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

/** Random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many random arrivals a minute has, if it has `mean` on average. */
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

/** How often one thing happens in each minute. */
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
  // A little more, because so many tenths of a request make less than a whole one.
  const due = (end: number) => Math.floor(end * mean + 1e-9);
  return (minute) =>
    minute < from || minute >= until ? 0 : due(minute - from + 1) - due(minute - from);
}

/** How often things happen in so many minutes, which begin after others. */
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

/** An alarm that notices a fault, and is not a part of another: after how many minutes, and how often it goes to ALARM while the fault lasts. */
export interface Notice {
  alarm: string;
  minutes: number;
  times: number;
}

/** So many periods more than its own does the evaluation range of an alarm have: AWS does not say how many. */
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

/** The alarms of a template, which is read only once. */
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

/** What the draws of a scenario show. */
export interface Result {
  scenario: Scenario;
  /** The notices of each draw. */
  draws: Notice[][];
}

/** Plays each scenario so many times, which takes long: several tests share the results. */
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

/** How often an alarm goes to ALARM a day, on average; at least a day counts. */
export const timesADay = ({ scenario, draws }: Result, ofAlarm?: string): number => {
  const all = draws.flat().filter(({ alarm }) => ofAlarm === undefined || alarm === ofAlarm);
  const times = all.reduce((sum, it) => sum + it.times, 0);
  return times / draws.length / Math.max(1, (scenario.lasts ?? 1440) / 1440);
};
