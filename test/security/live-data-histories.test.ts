// What the table holds after any history of live writes, the API's changes, imports, erasures and exports. In
// live-data/: `histories.ts` generates a history, `programs.ts` and `steps.ts` do what it says, `simulation.ts` delays,
// repeats and loses the requests to the real database, and `model.ts` says what must then be stored. A failure shows the
// shortest history that it has found.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Table } from '../../infra/commands/cli/table.ts';
import { createTestTable } from '../support/table.ts';
import { type History, history } from './live-data/histories.ts';
import { Model } from './live-data/model.ts';
import { perform } from './live-data/programs.ts';
import { clientOnRoutes, VirtualTime } from './live-data/simulation.ts';
import { take } from './live-data/steps.ts';
import { deleteItems, itemsIn } from './live-data/stored.ts';
import { scaled, seed } from './random-cases.ts';

const HISTORIES = scaled(10_000);
/** Each has a table of its own, which every history leaves empty. */
const AT_ONCE = 4;

/** Does all that a history says; returns how the table contradicts the model whenever nothing is under way. */
async function faultsOf(table: Table, phases: History): Promise<string[]> {
  const [time, model] = [new VirtualTime(), new Model()];
  const world = { table, time, model };
  const faults: string[] = [];
  const compare = async () => faults.push(...model.faultsOf(await itemsIn(table)));
  try {
    for (const { step, operations } of phases) {
      await take(world, step);
      await compare();
      await time.passUntilEnd(Promise.all(operations.map((one) => perform(world, one))));
      await compare();
    }
    return faults;
  } finally {
    await deleteItems(table, await itemsIn(table));
  }
}

it('each application is its greatest revision or gone, each job as the API set it, no erased candidate back', async () => {
  let isOver = false;
  const check = async (nth: number) => {
    const { name } = await createTestTable();
    const table = { name, client: clientOnRoutes() };
    const property = fc.asyncProperty(history, async (phases) => {
      // After a failure, nothing goes on beside the next test files.
      if (!isOver) expect(await faultsOf(table, phases)).toEqual([]);
    });
    await fc.assert(property, { seed: seed() + nth, numRuns: HISTORIES / AT_ONCE });
  };
  const checks = Array.from({ length: AT_ONCE }, (_, nth) => check(nth));
  await Promise.all(checks).finally(() => {
    isOver = true;
  });
});
