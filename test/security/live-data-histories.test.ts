// Checks the table after random histories of live writes, status updates by the API, imports, erasures and exports.
// In live-data/, `histories.ts` generates a history, and `programs.ts` and `steps.ts` carry it out. `simulation.ts` delays,
// repeats and loses requests to the real database. `model.ts` knows which items must then be stored. A failure shows the
// shortest history that fails.
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
/** The number of tables on which histories run at the same time. Each history leaves its table empty. */
const TABLES = 4;

/** Carries out a history. Returns how the table contradicts the model whenever no request is under way. */
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

it('the table holds the greatest revision of each application, the last status of each job, and nothing erased', async () => {
  let isOver = false;
  const check = async (nth: number) => {
    const { name } = await createTestTable();
    const table = { name, client: clientOnRoutes() };
    const property = fc.asyncProperty(history, async (phases) => {
      // After a failure, the other tables must not go on during the next test files.
      if (!isOver) expect(await faultsOf(table, phases)).toEqual([]);
    });
    await fc.assert(property, { seed: seed() + nth, numRuns: HISTORIES / TABLES });
  };
  const checks = Array.from({ length: TABLES }, (_, nth) => check(nth));
  await Promise.all(checks).finally(() => {
    isOver = true;
  });
});
