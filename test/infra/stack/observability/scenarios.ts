import type { Template } from 'aws-cdk-lib/assertions';
import { type AlarmProperties, alarmsOf } from './alarms.ts';
import { evaluated } from './cloudwatch.ts';
import { type Occurrence, recordedBy } from './recorded.ts';
import list from './scenarios.json' with { type: 'json' };

/** How often something happens: so many a minute, or one in so many minutes (`1/14`). */
type Rate = number | string;
type Happening = Readonly<Record<string, Rate | { rate: Rate; from: number; until?: number }>>;

export interface Scenario {
  fault: string;
  rate: string;
  /** What happens while all is well, and during the fault, by the names below. */
  before?: Happening;
  during: Happening;
  /** How long the fault lasts, in minutes: three hours, unless it says otherwise. */
  lasts?: number;
  /** An alarm that must notice it, and within how many minutes. */
  within?: (string | number)[];
  /** Why no alarm notices it. */
  unnoticed?: string;
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
  invalid_token: request({ '4xx': 1 }, { outcome: 'invalid_token' }),
  no_tenant: request({ '4xx': 1 }, { outcome: 'no_tenant' }),
  unauthenticated: request({ '4xx': 1 }, { outcome: 'unauthenticated' }),
  'throttled by the stage': request({ '4xx': 1, throttled_requests: 1 }),
  'throttled by Lambda': request({ '5xx': 1, Throttles: 1 }),
  'throttled by DynamoDB': request({ '5xx': 1, ReadThrottleEvents: 1 }, accepted('unavailable')),
  change: request({}, accepted('ok', change)),
  event: { aws: { EventCount: 1, ExecutionFailed: 0 } },
  'failed execution': { aws: { ExecutionFailed: 1 } },
  letter: { aws: { ApproximateNumberOfMessagesVisible: 1 } },
  '29 days left': { aws: { DaysToExpiry: 29 } },
};

/** What happens in a minute. */
function happen(happening: Happening, minute: number): Occurrence[] {
  return Object.entries(happening).flatMap(([name, often]) => {
    const { rate, from, until } =
      typeof often === 'object' ? often : { rate: often, from: 0, until: undefined };
    if (minute < from || minute >= (until ?? Number.POSITIVE_INFINITY)) return [];
    const [count = 0, minutes = 1] = String(rate).split('/').map(Number);
    // A little more, because so many tenths of a request make less than a whole one.
    const due = (end: number) => Math.floor((end * count) / minutes + 1e-9);
    const [, what = '', isNew] = /^(.*?)( of the new version)?$/.exec(name) ?? [];
    const occurrence = occurrences[what];
    if (occurrence === undefined) throw new Error(`There is no occurrence ${what}.`);
    const one = isNew ? { ...occurrence, isNew: true } : occurrence;
    return Array.from({ length: due(minute - from + 1) - due(minute - from) }, () => one);
  });
}

/** An alarm that notices a fault: after how many minutes, and whether it leaves ALARM while the fault lasts. */
interface Notice {
  alarm: string;
  minutes: number;
  leaves: boolean;
}

/** The alarms that notice a fault. */
export function play(template: Template, scenario: Scenario): Notice[] {
  const { before, during, lasts = 180 } = scenario;
  const well = before === undefined ? 0 : 180;
  const minutes = Array.from({ length: well + lasts }, (_, minute) =>
    minute < well ? happen(before ?? {}, minute) : happen(during, minute - well),
  );
  const recorded = recordedBy(template, minutes);
  return [...alarmsOf(template)].flatMap(([alarm, properties]) => {
    const notices = noticesOf(properties, evaluated(properties, recorded), well);
    const [worst] = notices.toSorted((one, other) => other.minutes - one.minutes);
    return worst ? [{ alarm, ...worst, leaves: notices.some(({ leaves }) => leaves) }] : [];
  });
}

/**
 * What an alarm notices with evaluation ranges of several lengths: AWS does not say how far they go back beyond the
 * evaluation periods.
 * @throws Error if it goes to ALARM before the fault, or not with each of them.
 */
function noticesOf(
  { EvaluationPeriods: periods, id }: AlarmProperties,
  statesWith: ReturnType<typeof evaluated>,
  well: number,
): Omit<Notice, 'alarm'>[] {
  const all = [0, 2, periods].map((extra) => {
    const states = statesWith(extra);
    const first = states.indexOf('ALARM');
    if (first >= 0 && first < well) throw new Error(`${id} is in ALARM before the fault.`);
    const leaves = first >= 0 && states.slice(first).some((state) => state !== 'ALARM');
    return { minutes: first < 0 ? 0 : first + 1 - well, leaves };
  });
  const notices = all.filter(({ minutes }) => minutes > 0);
  if (notices.length % all.length > 0) throw new Error(`${id} depends on the evaluation range.`);
  return notices;
}
