// Random histories of live writes, status updates, imports, erasures and exports, compared with a model. In live-data/,
// `histories.ts` generates a history, `programs.ts` carries out its operations, `simulation.ts` delays, repeats and
// loses requests to the real database, and `model.ts` knows what must then be stored. A failure shows the shortest
// history that fails.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Item } from '../../functions/store/items.ts';
import { applicationKey, erasureKey, type Key } from '../../functions/store/keys.ts';
import { MAX_DAYS } from '../../infra/data/records/expiry.ts';
import type { Table } from '../../infra/data/records/table.ts';
import { createTestTable } from '../support/table.ts';
import { type History, history, type Step } from './live-data/histories.ts';
import {
  type Application,
  applications,
  Model,
  orderedApplications,
  putOf,
  type State,
  stateLinesOf,
  stateRevision,
} from './live-data/model.ts';
import { linesOf, perform, stateOf, type World } from './live-data/programs.ts';
import { by, clientOnRoutes, START, VirtualTime } from './live-data/simulation.ts';
import {
  deleteItems,
  exportedFrom,
  type How,
  importInto,
  importStateInto,
  itemsIn,
} from './live-data/stored.ts';
import { scaled, seed } from './random-cases.ts';

const HISTORY_COUNT = scaled(10_000);
/** Histories run on this many tables at the same time. Each history leaves its table empty. */
const TABLE_COUNT = 4;
const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

async function take(world: World, step: Step): Promise<void> {
  const { table, time, model } = world;
  const items = await itemsIn(table);
  const how = { pause: time.sleep, clock: () => START + Math.floor(time.now) };
  const load = async (lines: readonly string[], options: object = {}) => {
    model.expectErasures(lines);
    return importInto(table, lines, { ...how, ...options });
  };
  if (step.kind === 'restore') {
    const lines = await exportedFrom(table);
    await deleteItems(table, items);
    const refused = await load(lines);
    model.forgetRemoved();
    for (const each of applicationsOf(lines, refused)) model.forget(each, undefined);
  } else if (step.kind === 'replace') {
    const { application, revision } = step;
    const erasure = items.find(
      ({ pk }) => pk === erasureKey(application.tenant, application.candidate).pk,
    );
    const lines = linesOf(application, revision).slice(0, 1);
    const refused = await load(lines, { replaces: true });
    if (refused.size > 0 || (erasure && revision <= Number(erasure.revision))) return;
    model.forget(application, { kind: 'put', revision, isAnswered: true });
  } else if (step.kind === 'retention') {
    const lines = await exportedFrom(table);
    const refused = await load(lines, { expireAfterDays: MAX_DAYS });
    const left = applicationsOf(lines, refused);
    const after = await itemsIn(table);
    for (const each of applications) {
      if (storedAs(after, each) && !left.includes(each)) model.retained.add(each);
    }
  } else if (step.kind === 'state') {
    time.now += step.afterMs;
    const state = stateOf(world, step);
    await takeState(world, state, how);
    const all = orderedApplications.filter(({ tenant }) => tenant === state.tenant);
    if (step.isCorrected) await takeState(world, { ...state, applications: all }, how);
  } else {
    time.now += MONTH_MS;
    const isExpired = ({ expires_at }: Item) => Number(expires_at) <= (START + time.now) / 1000;
    await deleteItems(table, items.filter(isExpired));
    model.erasures = [];
    for (const application of applications) {
      const item = storedAs(items, application);
      const revision = Number(item?.revision ?? 0);
      const createdAt = Date.parse(String(item?.created_at));
      model.forget(application, item && { kind: 'put', revision, isAnswered: true, createdAt });
    }
  }
}

/** No other request is under way, so we know what the import must store. */
async function takeState({ table, model }: World, state: State, how: How): Promise<void> {
  const before = await itemsIn(table);
  const revision = stateRevision(state);
  const { completeAt, removeAtMost, createdAt, tenant } = state;
  await importStateInto(table, stateLinesOf(state), { ...how, completeAt, removeAtMost });
  const missing: Application[] = [];
  for (const application of orderedApplications.filter((each) => each.tenant === tenant)) {
    const at = (key: Key) => before.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
    const { job, candidate } = application;
    const item = at(applicationKey(tenant, job, candidate));
    const stored = Number(item?.revision ?? 0);
    const erased = Number(at(erasureKey(tenant, candidate))?.revision ?? 0);
    if (!state.applications.includes(application)) {
      if (item && !item.removed && stored < revision) missing.push(application);
    } else if (stored <= revision && Math.min(createdAt, revision) > erased) {
      model.forget(application, { ...putOf(state), isAnswered: true });
    }
  }
  // Only a valid application shows that the file is about its tenant.
  if (state.applications.length === 0 || missing.length > removeAtMost) return;
  for (const each of missing) {
    model.forget(each, { kind: 'removal', revision: revision - 1, isAnswered: true });
  }
}

/** `numbers` count the lines from 1. */
function applicationsOf(lines: readonly string[], numbers: ReadonlySet<number>) {
  const records = lines.filter((_, at) => numbers.has(at + 1)).map((line) => JSON.parse(line));
  return applications.filter(({ tenant, job, candidate }) =>
    records.some(
      (record) => record.tenant === tenant && record.job_id === job && record.user_id === candidate,
    ),
  );
}

const storedAs = (items: readonly Item[], { tenant, job, candidate }: Application) =>
  items.find(
    (item) => item.tenant_id === tenant && item.job_id === job && item.user_id === candidate,
  );

/** Compares the table with the model whenever no request is under way. */
async function contradictionsIn(table: Table, phases: History): Promise<string[]> {
  const [time, model] = [new VirtualTime(), new Model()];
  const world = { table, time, model };
  const faults: string[] = [];
  const compare = async () => faults.push(...model.contradictionsIn(await itemsIn(table)));
  try {
    for (const { step, operations } of phases) {
      await time.passUntilEnd(by({ time, deliveries: [] }, () => take(world, step)));
      await compare();
      await time.passUntilEnd(Promise.all(operations.map((one) => perform(world, one))));
      await compare();
    }
    return faults;
  } finally {
    await deleteItems(table, await itemsIn(table));
  }
}

it('the table holds the greatest revision of each application, the last status of each job, and nothing erased', async () => {
  let isOver = false;
  const check = async (nth: number) => {
    const { name } = await createTestTable();
    const table = { name, client: clientOnRoutes() };
    const property = fc.asyncProperty(history, async (phases) => {
      // After a failure, histories on the other tables must not go on during the next test files.
      if (!isOver) expect(await contradictionsIn(table, phases)).toEqual([]);
    });
    await fc.assert(property, { seed: seed() + nth, numRuns: HISTORY_COUNT / TABLE_COUNT });
  };
  const checks = Array.from({ length: TABLE_COUNT }, (_, nth) => check(nth));
  await Promise.all(checks).finally(() => {
    isOver = true;
  });
});
