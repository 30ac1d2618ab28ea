import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';

/** A client's next operation, which does not depend on earlier outcomes. */
export interface Choice {
  isRead: boolean;
  status: JobStatus;
  /** The versions in `If-Match`, by the last version that the client has seen; undefined without `If-Match`. */
  versionsBy: ((seen: number) => number[]) | undefined;
  /** The faults that the attempts of the update meet. */
  faults: Fault[];
  /** Whether the function is about to run out of time. */
  isHurried: boolean;
  /** The client's wait after an unknown outcome, in milliseconds. */
  patienceMs: number;
}

/** The turns of a client, and the milliseconds by which its clock is ahead. */
export interface Plan {
  aheadMs: number;
  choices: Choice[];
}

/** The maximum error of a client's clock, far more than the SDK and DynamoDB tolerate. */
const CLOCK_DIFFERENCE_MS = 3 * 3_600_000;

/** Returns a choice among values, each with a weight. */
const weighted = <T>(...parts: [weight: number, one: fc.Arbitrary<T>][]) =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const always = <T>(value: T) => fc.constant<T>(value);

const fault = weighted<Fault>(
  [771, always('none')],
  [40, always('response lost')],
  [30, always('reset')],
  [40, fc.nat(300).map((ms) => ({ lateAfter: () => setTimeout(ms) }))],
  [30, fc.nat(40).map((delayedBy) => ({ delayedBy }))],
  [20, always({ doneBut: dynamoError(500, 'InternalServerError') })],
  // A gateway between the function and the database may respond. An error with a name is not always DynamoDB's.
  [10, always({ doneBut: dynamoError(403, 'ForbiddenException') })],
  [10, always({ doneBut: dynamoError(429, 'TooManyRequestsException') })],
  [10, always(dynamoError(500, 'InternalServerError'))],
  [5, always(dynamoError(400, 'ThrottlingException'))],
  [30, fc.constantFrom('truncated', 'garbled', 'cut off')],
  [4, fc.constantFrom('too late', 'hang')],
);

const choice: fc.Arbitrary<Choice> = fc.record({
  isRead: weighted([15, always(true)], [85, always(false)]),
  status: fc.constantFrom(...jobStatuses),
  versionsBy: weighted<Choice['versionsBy']>(
    [50, always(undefined)],
    [35, always((seen) => [seen])],
    [10, always((seen) => [seen, seen + 1])],
    [5, always((seen) => [seen - 1])],
  ),
  faults: fc.array(fault, { minLength: 8, maxLength: 8 }).map((faults) => [...faults, 'none']),
  isHurried: weighted([2, always(true)], [98, always(false)]),
  patienceMs: fc.nat(4),
});

/** Returns the plans of a number of clients with a number of turns each. The same seed gives the same plans. */
export function plansOf(clients: number, turns: number, seed: number): Plan[] {
  const plan = fc.record({
    aheadMs: fc.integer({ min: -CLOCK_DIFFERENCE_MS, max: CLOCK_DIFFERENCE_MS }),
    choices: fc.array(choice, { minLength: turns, maxLength: turns, size: 'max' }),
  });
  // Turn off the bias, so that each choice occurs as often as its weight says.
  return fc.sample(fc.noBias(plan), { numRuns: clients, seed });
}
