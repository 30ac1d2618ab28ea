// What the table holds after any history of live writes, the API's changes, imports, erasures and exports.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestTable } from '../support/table.ts';
import { history } from './live-data/histories.ts';
import { clientOnRoutes } from './live-data/simulation.ts';
import { faultsOfHistory } from './live-data/world.ts';
import { scaled, seed } from './random-cases.ts';

const HISTORIES = scaled(10_000);
/** Each has a table of its own, which every history leaves empty. */
const AT_ONCE = 4;

it('each application is its greatest revision or gone, each job as the API set it, no erased candidate back', async () => {
  const check = async (nth: number) => {
    const { name } = await createTestTable();
    const table = { name, client: clientOnRoutes() };
    const property = fc.asyncProperty(history, async (phases) => {
      expect(await faultsOfHistory(table, phases)).toEqual([]);
    });
    await fc.assert(property, { seed: seed() + nth, numRuns: HISTORIES / AT_ONCE });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => check(nth)));
});
