import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type OperationName, operationNames } from '../../../functions/contract/operations.ts';
import { bundling } from '../../../infra/bundle/bundles.ts';
import { root } from '../../../infra/bundle/files.ts';
import { recordInTurn } from '../records.ts';
import type { Stub } from '../stub/start.ts';
import { compareWarm, type Pace } from './warm.ts';

/** Processor time of a warm call without a database, in microseconds, a mean for each block. */
export type MiddlewareCalls = Record<OperationName, Record<'chain' | 'bare', number[]>>;

/** Such a call is short: the compiler is done later, and a block takes more of them. */
const PACE: Pace = { warmUp: 5000, block: 2000 };

/**
 * Measures what the chain of middlewares costs, its log line included: our function with a store
 * that answers at once, in turn with a bare handler that verifies the same token in the same way.
 */
export function measureMiddleware(stub: Stub, rounds: number): Promise<MiddlewareCalls> {
  return recordInTurn(operationNames, async (operation) => {
    const bundles = {
      chain: await bundle(`functions/${operation}.ts`),
      bare: await bundle(`test/bench/references/bare/${operation}.ts`),
    };
    return compareWarm(bundles, operation, stub, rounds, PACE);
  });
}

/** Replaces the stores when bundling, so that the functions need no switch for it. */
const nullStore: Plugin = {
  name: 'null-store',
  setup({ onResolve }) {
    onResolve({ filter: /\/store\/(applications|jobs)\.ts$/ }, ({ path }) => ({
      path: fileURLToPath(new URL(`../null-store/${path.split('/').at(-1)}`, import.meta.url)),
    }));
  },
};

async function bundle(entry: string): Promise<string> {
  const name = entry.replace(/\.ts$/, '.mjs');
  const outfile = fileURLToPath(new URL(`dist/bench/middleware/${name}`, root));
  const plugins = [nullStore, ...bundling.plugins];
  await build({ ...bundling, plugins, entryPoints: [entry], outfile });
  return outfile;
}
