import { setTimeout } from 'node:timers/promises';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { mixedSeed, randomNumbers } from '../random-cases.ts';

type Random = ReturnType<typeof randomNumbers>;

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

/** The most that a client's clock is wrong: far beyond what the SDK and DynamoDB bear. */
const CLOCK_DIFFERENCE_MS = 3 * 3_600_000;
const FAILED = dynamoError(500, 'InternalServerError');
// Of a gateway between the function and the database: what has a name is not always an answer of DynamoDB.
const FORBIDDEN = dynamoError(403, 'ForbiddenException');
const TOO_MANY = dynamoError(429, 'TooManyRequestsException');

/** Faults by how often they come; the rest of the time nothing is wrong. */
const faultRates: [rate: number, (random: Random) => Fault][] = [
  [0.04, () => 'answer lost'],
  [0.03, () => 'reset'],
  [0.04, (random) => lateBy(random.below(300))],
  [0.03, (random) => ({ delayedBy: random.below(40) })],
  [0.02, () => ({ doneBut: FAILED })],
  [0.01, () => ({ doneBut: FORBIDDEN })],
  [0.01, () => ({ doneBut: TOO_MANY })],
  [0.01, () => FAILED],
  [0.005, () => dynamoError(400, 'ThrottlingException')],
  [0.01, () => 'truncated'],
  [0.01, () => 'garbled'],
  [0.01, () => 'cut off'],
  [0.002, () => 'too late'],
  [0.002, () => 'hang'],
];

const lateBy = (ms: number): Fault => ({ lateAfter: () => setTimeout(ms) });

function faultOf(random: Random): Fault {
  let point = random.next();
  for (const [rate, fault] of faultRates) {
    if (point < rate) return fault(random);
    point -= rate;
  }
  return 'none';
}

function versionsOf(point: number): Choice['versionsBy'] {
  if (point < 0.5) return undefined;
  if (point < 0.85) return (seen) => [seen];
  if (point < 0.95) return (seen) => [seen, seen + 1];
  return (seen) => [seen - 1];
}

/** What a client of a history does in its turn. With one generator for all, time would decide. */
export function choiceOf(history: number, client: number, turn: number): Choice {
  const random = randomNumbers(mixedSeed(history, client, turn));
  return {
    isRead: random.next() < 0.15,
    status: random.pick(jobStatuses),
    versionsBy: versionsOf(random.next()),
    faults: [...Array.from({ length: 8 }, () => faultOf(random)), 'none'],
    // Some functions run out of time while their update is under way.
    isHurried: random.next() < 0.02,
    patienceMs: random.below(5),
  };
}

/** How far a client's clock is ahead, in milliseconds; or behind, if that is below zero. */
export const aheadMsOf = (history: number, client: number) =>
  randomNumbers(mixedSeed(history, client)).below(2 * CLOCK_DIFFERENCE_MS) - CLOCK_DIFFERENCE_MS;
