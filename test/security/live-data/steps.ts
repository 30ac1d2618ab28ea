import type { Item } from '../../../functions/store/items.ts';
import { MAX_DAYS } from '../../../infra/writer/expiry.ts';
import type { Step } from './histories.ts';
import { applications } from './model.ts';
import { linesOf, type World } from './programs.ts';
import { START } from './simulation.ts';
import { deleteItems, exportedFrom, importInto, itemsIn } from './stored.ts';

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;

/** Takes a step while no request is under way, and updates the model. */
export async function take(world: World, step: Step): Promise<void> {
  const { table, time, model } = world;
  const items = await itemsIn(table);
  if (step.kind === 'restore') {
    const lines = await exportedFrom(table);
    await deleteItems(table, items);
    await importInto(table, lines, { keepsNewer: false });
  } else if (step.kind === 'import') {
    const { application, revision } = step;
    // An import does not look at erasures, so operators do not import an erased candidate.
    if (model.erasures.some(({ candidate }) => candidate === application[1])) return;
    await importInto(table, linesOf(application, revision).slice(0, 1), { keepsNewer: false });
    model.forget(application, { kind: 'put', revision, isAnswered: true });
  } else if (step.kind === 'retention') {
    const how = { keepsNewer: true, expireAfterDays: MAX_DAYS };
    await importInto(table, await exportedFrom(table), how);
    for (const each of applications) if (storedAs(items, each)) model.retained.add(each);
  } else {
    time.now += MONTH_MS;
    const isExpired = ({ expires_at }: Item) => Number(expires_at) <= (START + time.now) / 1000;
    await deleteItems(table, items.filter(isExpired));
    model.erasures = [];
    for (const application of applications) {
      const item = storedAs(items, application);
      const revision = Number(item?.revision ?? 0);
      model.forget(application, item && { kind: 'put', revision, isAnswered: true });
    }
  }
}

const storedAs = (items: readonly Item[], [job, candidate]: readonly [string, string]) =>
  items.find(({ job_id, user_id }) => job_id === job && user_id === candidate);
