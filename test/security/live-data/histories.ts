import fc from 'fast-check';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import { type Application, candidates, jobs, orderedApplications } from './model.ts';
import { type Delivery, START } from './simulation.ts';

export type Action =
  | { kind: 'put'; application: Application; revision: number }
  | { kind: 'removal'; application: Application; revision: number }
  | { kind: 'createJob'; job: string }
  | { kind: 'setStatus'; job: string; status: JobStatus }
  | { kind: 'importNewer'; application: Application; revision: number }
  /** `npm run import` of `unorderedApplication`. */
  | { kind: 'import'; revision: number }
  /** An export, and `afterMs` later its import with `--keep-newer`. */
  | { kind: 'exportAndImport'; afterMs: number }
  | { kind: 'erase'; candidate: string; search: 'index' | 'scan' };

export interface Operation {
  action: Action;
  startMs: number;
  aheadMs: number;
  deliveries: Delivery[];
  retries: number;
}

/** Happens while no request is under way. */
export type Step =
  | { kind: 'restore' }
  /** Without `--keep-newer`, so it overwrites a stored application. */
  | { kind: 'import'; application: Application; revision: number }
  /** Imports an export of the table, with an expiry for applications that have none. */
  | { kind: 'retention' }
  /** Time passes, and DynamoDB deletes what has expired. */
  | { kind: 'month' };

/** In each phase, first the step happens, then all operations at the same time. */
export type History = { step: Step; operations: Operation[] }[];

const MINUTE_MS = 60_000;
/** Just below LAST_ATTEMPT_MS of erase-candidate.ts: how long a write's last attempt may take to reach DynamoDB. */
const LONGEST_DELIVERY_MS = 4999;

const weighted = <T>(...parts: [weight: number, one: fc.Arbitrary<T>][]) =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const application = fc.constantFrom(...orderedApplications);
const job = fc.constantFrom(...jobs);

/**
 * Mostly whole seconds near `START`, so that two revisions are often equal. The last value has one digit more than the
 * others: compared as text, it would come first.
 */
const revision = weighted(
  [16, fc.integer({ min: -15, max: 40 }).map((seconds) => START + 1000 * seconds)],
  [3, fc.integer({ min: -10, max: 10 }).map((minutes) => START + MINUTE_MS * minutes)],
  [1, fc.constant(10_000_000_000_000)],
);
const revisionOrNone = weighted([1, fc.constant(0)], [2, revision]);

const delivery: fc.Arbitrary<Delivery> = fc.record({
  heldMs: weighted(
    [8, fc.constant(0)],
    [2, fc.nat(6000)],
    [1, fc.integer({ min: 6000, max: 60_000 })],
  ),
  arrivals: weighted(
    [8, fc.nat(50).map((ms) => [ms])],
    [3, fc.nat(LONGEST_DELIVERY_MS).map((ms) => [ms])],
    [2, fc.tuple(fc.nat(50), fc.nat(LONGEST_DELIVERY_MS))],
    [1, fc.constant([])],
  ),
  isAnswered: weighted([4, fc.constant(true)], [1, fc.constant(false)]),
});

const action: fc.Arbitrary<Action> = weighted<Action>(
  [8, fc.record({ kind: fc.constant('put'), application, revision })],
  [4, fc.record({ kind: fc.constant('removal'), application, revision })],
  [2, fc.record({ kind: fc.constant('createJob'), job })],
  [3, fc.record({ kind: fc.constant('setStatus'), job, status: fc.constantFrom(...jobStatuses) })],
  [
    2,
    fc.record({
      kind: fc.constant('importNewer'),
      application,
      revision: revisionOrNone,
    }),
  ],
  [2, fc.record({ kind: fc.constant('import'), revision: revisionOrNone })],
  [1, fc.record({ kind: fc.constant('exportAndImport'), afterMs: fc.nat(20_000) })],
  [
    3,
    fc.record({
      kind: fc.constant('erase'),
      candidate: fc.constantFrom(...candidates),
      search: fc.constantFrom('index', 'scan'),
    }),
  ],
);

const operation: fc.Arbitrary<Operation> = fc.record({
  action,
  startMs: weighted([2, fc.nat(3000)], [1, fc.nat(20_000)]),
  aheadMs: weighted(
    [2, fc.constant(0)],
    [1, fc.integer({ min: -10 * MINUTE_MS, max: 10 * MINUTE_MS })],
  ),
  deliveries: fc.array(delivery, { maxLength: 4 }),
  retries: fc.nat(2),
});

const step: fc.Arbitrary<Step> = weighted<Step>(
  [2, fc.record({ kind: fc.constant('restore') })],
  [2, fc.record({ kind: fc.constant('import'), application, revision: revisionOrNone })],
  [1, fc.record({ kind: fc.constant('retention') })],
  [1, fc.record({ kind: fc.constant('month') })],
);

export const history: fc.Arbitrary<History> = fc.array(
  fc.record({ step, operations: fc.array(operation, { minLength: 1, maxLength: 6 }) }),
  { minLength: 1, maxLength: 2 },
);
