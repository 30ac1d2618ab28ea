import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';

/** What a client does next, whatever became of what it did before. */
export interface Choice {
  isRead: boolean;
  status: JobStatus;
  /** The versions in its `If-Match`, by the version that it has seen last; undefined without one. */
  versionsBy: ((seen: number) => number[]) | undefined;
  /** What happens to the attempts of its update. */
  faults: Fault[];
  /** Whether the function is about to run out of time. */
  isHurried: boolean;
  /** How long the client waits if it does not know the outcome, in milliseconds. */
  patienceMs: number;
}

/** What a client does in its turns, and how far its clock is ahead, in milliseconds. */
export interface Plan {
  aheadMs: number;
  choices: Choice[];
}

/** The most that a client's clock is wrong: far beyond what the SDK and DynamoDB bear. */
const CLOCK_DIFFERENCE_MS = 3 * 3_600_000;

/** One of several, by how often each comes. */
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
  // Of a gateway between the function and the database: what has a name is not always a response of DynamoDB.
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

/** The plans of so many clients, each of so many turns; the same for the same seed. */
export function plansOf(clients: number, turns: number, seed: number): Plan[] {
  const plan = fc.record({
    aheadMs: fc.integer({ min: -CLOCK_DIFFERENCE_MS, max: CLOCK_DIFFERENCE_MS }),
    choices: fc.array(choice, { minLength: turns, maxLength: turns, size: 'max' }),
  });
  // Without a bias, so that things come as often as their weights say.
  return fc.sample(fc.noBias(plan), { numRuns: clients, seed });
}
