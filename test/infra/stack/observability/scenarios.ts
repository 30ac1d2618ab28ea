import type { Template } from 'aws-cdk-lib/assertions';
import { alarmsOf } from './alarms.ts';
import { evaluated, type State } from './cloudwatch.ts';
import { type Occurrence, recordedBy } from './world.ts';

const HOUR = 60;
const DAY = 24 * HOUR;

const NORMAL = { Count: 1, '4xx': 0, '5xx': 0, Latency: 50, Errors: 0, Throttles: 0, Duration: 50 };
/** A request to `get-application`; without a log line if the function wrote none. */
const request = (aws: Readonly<Record<string, number>>, line?: Occurrence['line']): Occurrence => ({
  aws: { ...NORMAL, ...aws },
  ...(line && { line }),
});
const tenant = 'default';
const ok = request({}, { outcome: 'ok', tenant });
const crash = request({ '5xx': 1, Errors: 1 });
const failed = (outcome: string) => request({ '5xx': 1 }, { outcome, tenant });
const [bug, unavailable] = [failed('internal'), failed('unavailable')];
const refused = (outcome: string) => request({ '4xx': 1 }, { outcome });
const slow = request({ Latency: 3000, Duration: 3000 }, { outcome: 'ok', tenant });
const throttled = request({ '4xx': 1, throttled_requests: 1 });
const notRun = request({ '5xx': 1, Throttles: 1 });
const ofTable: Occurrence = { ...unavailable, aws: { ...unavailable.aws, ReadThrottleEvents: 1 } };
const operation = 'updateJobStatus';
const change = request({}, { operation, outcome: 'ok', tenant, status_changed_to: 'closed' });
const event: Occurrence = { aws: { EventCount: 1, ExecutionFailed: 0 } };
const retry: Occurrence = { aws: { ExecutionFailed: 1 } };
const letter: Occurrence = { aws: { ApproximateNumberOfMessagesVisible: 1 } };

/** What happens in each minute. */
type Happens = (minute: number) => readonly Occurrence[];

/** So many a minute. */
const at =
  (perMinute: number, ...occurrences: readonly Occurrence[]): Happens =>
  (minute) => {
    const [before, after] = [minute, minute + 1].map((it) => Math.floor(it * perMinute + 1e-9));
    return Array.from({ length: (after ?? 0) - (before ?? 0) }, () => occurrences).flat();
  };
const both =
  (one: Happens, other: Happens): Happens =>
  (minute) => [...one(minute), ...other(minute)];

interface Details {
  /** An alarm that must notice it within so many minutes. */
  within?: readonly [alarm: string, minutes: number];
  /** Why no alarm notices it. */
  unnoticed?: string;
  remark?: string;
  /** How long the fault lasts, in minutes. */
  lasts?: number;
}

export interface Scenario extends Details {
  fault: string;
  rate: string;
  /** What happens while all is well; without it, nothing. */
  before?: Happens;
  during: Happens;
}

const named = (perMinute: number) =>
  perMinute < 1 && perMinute !== 0.1
    ? `one each ${Math.round(1 / perMinute)} minutes`
    : `${perMinute} a minute`;

const every = (fault: string, it: Occurrence, rate: number, more: Details = {}): Scenario => ({
  ...{
    fault: `every request ${fault}`,
    rate: named(rate),
    before: at(rate, ok),
    during: at(rate, it),
  },
  ...more,
});
/** So many of the requests of a minute. */
const some = (
  fault: string,
  it: Occurrence,
  bad: number,
  rate: number,
  more: Details = {},
): Scenario => ({
  fault,
  rate: `${named(bad)}, of ${rate}`,
  before: at(rate, ok),
  during: both(at(rate - bad, ok), at(bad, it)),
  ...more,
});
/** A tenth of the requests goes to the new version. */
const rollout = (fault: string, it: Occurrence, rate: number, more: Details = {}): Scenario => ({
  ...some(`the new version ${fault}`, { ...it, isNew: true }, rate / 10, rate, {
    lasts: 10,
    ...more,
  }),
  rate: named(rate),
});
const other = (
  fault: string,
  rate: string,
  during: Happens,
  more: Partial<Scenario> = {},
): Scenario => ({
  ...{ fault, rate, during },
  ...more,
});

const [wrongToken, noScope] = [
  refused('invalid_token'),
  request({ '4xx': 1 }, { outcome: 'insufficient_scope', tenant }),
];
const tokensRefused = { within: ['tokens-refused', 30] } as const;
const eventsStopped = { within: ['events-stopped', 2 * HOUR] } as const;
const noFault = { unnoticed: 'no fault' };

export const scenarios: readonly Scenario[] = [
  ...[10, 1].map((rate) => every('crashes', crash, rate, { within: ['outage', 5] })),
  ...[10, 1].map((rate) => every('is 503', unavailable, rate, { within: ['outage', 5] })),
  ...[1 / 10, 1 / 12, 1 / 14].map((rate) =>
    every('is 503', unavailable, rate, { within: ['outage', HOUR] }),
  ),
  every('is 503', unavailable, 1 / 15, {
    within: ['outage', HOUR],
    remark: 'such as those of a probe',
  }),
  some('a bug', bug, 1 / 14, 10, { within: ['get-application-internal', HOUR] }),
  some('a crash', crash, 1 / 14, 10, { within: ['get-application-errors', HOUR] }),
  some('503', unavailable, 2, 40),
  some('503', unavailable, 0.5, 10, {
    unnoticed: 'fewer than 100 requests in 5 minutes, and most succeed',
  }),
  ...[60, 1, 0.1].map((rate) =>
    every('has a refused token (issuer, audience)', wrongToken, rate, tokensRefused),
  ),
  every('lacks the scope (scopePrefix)', noScope, 1, tokensRefused),
  every('lacks the tenant (tenantClaim)', refused('no_tenant'), 1, tokensRefused),
  some("strangers' tokens beside those of clients", wrongToken, 60, 61, {
    unnoticed: 'tokens are accepted too',
  }),
  other("strangers' tokens alone", '1 a minute', at(1, wrongToken), {
    remark: 'looks like a wrong issuer; once, until a token is accepted',
  }),
  other('a scanner without tokens', '60 a minute', at(60, refused('unauthenticated')), noFault),
  some('the throttle of the stage', throttled, 10, 100),
  some('Lambda has no concurrency', notRun, 2, 10),
  some('DynamoDB throttles', ofTable, 1, 10),
  some('a request of 3 s', slow, 0.12, 12, { unnoticed: 'fewer than 100 requests in 5 minutes' }),
  some('a request of 3 s', slow, 1.5, 30),
  some('a stored item that does not fit the contract', failed('stored_data_invalid'), 1, 10, {
    within: ['get-application-stored-data-invalid', 5],
  }),
  other(
    'a dead letter, of which SQS tells for 6 hours',
    'one',
    (minute) => (minute >= 15 && minute < 6 * HOUR ? [letter] : []),
    { lasts: 2 * DAY, within: ['dead-letters', 30] },
  ),
  ...[1, 1 / HOUR].map((rate) =>
    other('the pipe is stopped', named(rate), at(rate, change), {
      before: at(rate, change, event),
      ...eventsStopped,
    }),
  ),
  other(
    'events 4 minutes late',
    'one each 60 minutes',
    both(at(1 / HOUR, change), (minute) => at(1 / HOUR, event)(minute - 4)),
    noFault,
  ),
  other(
    'the pipe fails on one record',
    'one each 10 minutes',
    both(at(1, change, event), at(0.1, retry)),
    { before: at(1, change, event) },
  ),
  rollout('crashes', crash, 10, { within: ['get-application-errors-of-version-N', 5] }),
  rollout('has a bug', bug, 10, { within: ['get-application-internal-of-version-N', 5] }),
  rollout('does not reach the database', unavailable, 60, {
    within: ['get-application-unavailable-of-version-N', 5],
  }),
  rollout('takes 3 s', slow, 60, { within: ['get-application-duration-of-version-N', 5] }),
  rollout('has a bug', bug, 0.5, {
    unnoticed: 'no request reaches it: the smoke test sends one a second',
  }),
  rollout('refuses every token', wrongToken, 60, {
    unnoticed: 'the old version accepts tokens: the smoke test finds it',
  }),
  other(
    'the certificate ends in 29 days',
    'a value a day',
    (minute) => (minute % DAY === 0 ? [{ aws: { DaysToExpiry: 29 } }] : []),
    { lasts: 2 * DAY, within: ['certificate-ends', 1] },
  ),
  other('an idle week', '0', () => [], {
    lasts: 7 * DAY,
    unnoticed: 'no fault; that no request reaches the API, only a probe notices',
  }),
  other('only a probe', 'one each 15 minutes', at(1 / 15, ok, wrongToken), {
    lasts: 2 * DAY,
    ...noFault,
  }),
];

/** From the fault until ALARM, and whether it leaves ALARM while the fault lasts. */
interface Result {
  alarm: string;
  minutes: number;
  leaves: boolean;
}

/**
 * The alarms that notice a fault. AWS does not say how far the evaluation range goes back beyond the evaluation periods:
 * not at all, two datapoints and as far again are tried, and the worst counts.
 * @throws Error if an alarm goes to ALARM before the fault, or only with one of these ranges.
 */
export function play(template: Template, { fault, before, during, lasts = 180 }: Scenario) {
  const well = before === undefined ? 0 : 180;
  const minutes = Array.from({ length: well + lasts }, (_, minute) =>
    minute < well ? (before?.(minute) ?? []) : during(minute - well),
  );
  const recorded = recordedBy(template, minutes);
  return [...alarmsOf(template)].flatMap(([alarm, properties]): Result[] => {
    const statesWith = evaluated(properties, recorded);
    const results = [0, 2, properties.EvaluationPeriods].map((extra) => {
      const states = statesWith(extra);
      const first = states.indexOf('ALARM');
      const leaves = first >= 0 && states.slice(first).some((state: State) => state !== 'ALARM');
      return { alarm, minutes: first + 1 - well, leaves };
    });
    const seen = results.filter((each) => each.minutes > -well);
    if (seen.length % results.length > 0 || seen.some((each) => each.minutes < 1))
      throw new Error(`${alarm}, ${fault}: ${JSON.stringify(results)}`);
    const worst = seen.toSorted((one, next) => next.minutes - one.minutes).slice(0, 1);
    return worst.map((it) => ({ ...it, leaves: seen.some((each) => each.leaves) }));
  });
}
