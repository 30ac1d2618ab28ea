import fc from 'fast-check';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import type { Candidate } from '../../../infra/data/candidate/find-applications.ts';
import {
  type Application,
  candidates,
  type Job,
  jobs,
  orderedApplications,
  tenants,
} from './model.ts';
import { type Delivery, START } from './simulation.ts';

export type Action =
  | { kind: 'put'; application: Application; revision: number }
  | { kind: 'removal'; application: Application; revision: number }
  | { kind: 'createJob'; job: Job }
  | { kind: 'setStatus'; job: Job; status: JobStatus; aheadMs: number }
  | { kind: 'import'; application: Application; revision: number }
  /** Imports two lines about `replacedApplication` with `--replace`. */
  | { kind: 'replace'; revisions: readonly [number, number] }
  | { kind: 'replaceJob'; job: Job; status: JobStatus }
  | { kind: 'exportAndImport'; afterMs: number }
  | { kind: 'importErasure'; candidate: Candidate; revision: number }
  | ({ kind: 'state' } & StateShape)
  /** `isNew`: records a new erasure even if one exists. */
  | { kind: 'erase'; candidate: Candidate; search: 'index' | 'scan'; isNew: boolean };

/** What a source has: some of the tenant's applications, all made `createdMs` after `START`. */
export interface StateShape {
  tenant: string;
  applications: Application[];
  createdMs: number;
  /** How far `completeAt` is ahead of virtual time. */
  aheadMs: number;
  removeAtMost: number;
}

export interface Operation {
  action: Action;
  startMs: number;
  /** How far the writer's clock is ahead. */
  aheadMs: number;
  deliveries: Delivery[];
  retries: number;
  retryMs: number;
}

/** Happens while no request is under way. */
export type Step =
  | { kind: 'restore' }
  /** Imports with `--replace`. */
  | { kind: 'replace'; application: Application; revision: number }
  /** Imports an export of the table, with an expiry for applications that have none. */
  | { kind: 'retention' }
  /** Time passes, and DynamoDB deletes what has expired. */
  | { kind: 'month' }
  /** Imports a state after `afterMs`; if `isCorrected`, then the same download again, with every application. */
  | ({ kind: 'state'; afterMs: number; isCorrected: boolean } & StateShape);

/** In each phase, first the step happens, then all operations at the same time. */
export type History = { step: Step; operations: Operation[] }[];

const MINUTE_MS = 60_000;
/** Longer than an erasure takes. */
const LONGEST_DELIVERY_MS = 20_000;

const weighted = <T>(...parts: [weight: number, one: fc.Arbitrary<T>][]) =>
  fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Mostly the first tenant's, so that operations often meet. */
const ofTenants = <T extends { tenant: string }>(all: readonly T[]) =>
  weighted(
    [2, fc.constantFrom(...all.filter(({ tenant }) => tenant === tenants[0]))],
    [1, fc.constantFrom(...all)],
  );

const application = ofTenants(orderedApplications);
const job = ofTenants(jobs);

/** Mostly whole seconds near `START`, so that two revisions are often equal. */
const revision = weighted(
  [8, fc.integer({ min: -15, max: 40 }).map((seconds) => START + 1000 * seconds)],
  [8, fc.integer({ min: 50, max: 150 }).map((seconds) => START + 1000 * seconds)],
  [3, fc.integer({ min: -10, max: 10 }).map((minutes) => START + MINUTE_MS * minutes)],
  // One digit more: compared as text, it would come first.
  [1, fc.constant(10_000_000_000_000)],
);
const revisionOrNone = weighted([1, fc.constant(0)], [2, revision]);

const delivery: fc.Arbitrary<Delivery> = fc.record({
  arrivals: weighted(
    [8, fc.nat(50).map((ms) => [ms])],
    [3, fc.nat(LONGEST_DELIVERY_MS).map((ms) => [ms])],
    [2, fc.tuple(fc.nat(50), fc.nat(LONGEST_DELIVERY_MS))],
    [1, fc.constant([])],
  ),
  answer: weighted<Delivery['answer']>(
    [12, fc.constant('first')],
    [3, fc.constant('none')],
    [1, fc.constant('conflict')],
  ),
});

/** All three attempts arrive after the program has given up. */
const lateAndLost: fc.Arbitrary<Delivery[]> = fc
  .nat(LONGEST_DELIVERY_MS)
  .map((ms) => Array(3).fill({ arrivals: [ms], answer: 'none' }));

const status = fc.constantFrom(...jobStatuses);
const candidate = ofTenants(candidates);

const state: fc.Arbitrary<StateShape> = ofTenants(tenants.map((tenant) => ({ tenant }))).chain(
  ({ tenant }) =>
    fc.record({
      tenant: fc.constant(tenant),
      applications: fc.subarray(orderedApplications.filter((each) => each.tenant === tenant)),
      createdMs: weighted(
        [2, fc.constant(-MINUTE_MS * 60)],
        [1, fc.integer({ min: 0, max: 200_000 })],
      ),
      aheadMs: weighted(
        [2, fc.integer({ min: 0, max: MINUTE_MS - 2000 })],
        [1, fc.integer({ min: -10 * MINUTE_MS, max: 0 })],
      ),
      removeAtMost: weighted([1, fc.constant(4)], [1, fc.nat(2)]),
    }),
);

const action: fc.Arbitrary<Action> = weighted<Action>(
  [8, fc.record({ kind: fc.constant('put'), application, revision })],
  [4, fc.record({ kind: fc.constant('removal'), application, revision })],
  [2, fc.record({ kind: fc.constant('createJob'), job })],
  [
    3,
    fc.record({
      kind: fc.constant('setStatus'),
      job,
      status,
      aheadMs: weighted(
        [2, fc.constant(0)],
        [1, fc.integer({ min: -10 * MINUTE_MS, max: 10 * MINUTE_MS })],
      ),
    }),
  ],
  [2, fc.record({ kind: fc.constant('import'), application, revision: revisionOrNone })],
  [
    2,
    fc.record({
      kind: fc.constant('replace'),
      revisions: fc.tuple(revisionOrNone, revisionOrNone),
    }),
  ],
  [2, fc.record({ kind: fc.constant('replaceJob'), job, status })],
  [1, fc.record({ kind: fc.constant('exportAndImport'), afterMs: fc.nat(20_000) })],
  [1, fc.record({ kind: fc.constant('importErasure'), candidate, revision })],
  [3, state.map((shape) => ({ kind: 'state', ...shape }) as const)],
  [
    3,
    fc.record({
      kind: fc.constant('erase'),
      candidate,
      search: fc.constantFrom('index', 'scan'),
      isNew: fc.boolean(),
    }),
  ],
);

const operation: fc.Arbitrary<Operation> = fc.record({
  action,
  startMs: weighted([4, fc.nat(3000)], [2, fc.nat(20_000)], [1, fc.nat(150_000)]),
  aheadMs: weighted(
    [2, fc.constant(0)],
    [1, fc.integer({ min: -MINUTE_MS, max: MINUTE_MS })],
    [1, fc.constant(MINUTE_MS)],
  ),
  retryMs: weighted([1, fc.constant(0)], [1, fc.nat(60_000)]),
  deliveries: weighted([4, fc.array(delivery, { maxLength: 4 })], [1, lateAndLost]),
  retries: fc.nat(2),
});

const step: fc.Arbitrary<Step> = weighted<Step>(
  [2, fc.record({ kind: fc.constant('restore') })],
  [2, fc.record({ kind: fc.constant('replace'), application, revision: revisionOrNone })],
  [1, fc.record({ kind: fc.constant('retention') })],
  [1, fc.record({ kind: fc.constant('month') })],
  [
    4,
    fc
      .tuple(state, fc.record({ afterMs: fc.nat(300_000), isCorrected: fc.boolean() }))
      .map(([shape, rest]) => ({ kind: 'state', ...shape, ...rest }) as const),
  ],
);

export const history: fc.Arbitrary<History> = fc.array(
  fc.record({ step, operations: fc.array(operation, { minLength: 1, maxLength: 6 }) }),
  { minLength: 1, maxLength: 2 },
);
