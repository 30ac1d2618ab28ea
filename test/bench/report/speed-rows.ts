import { operationNames } from '../../../functions/contract/operations.ts';
import { type Contender, peers, references } from '../contenders.ts';
import type { ColdStart, ColdStarts } from '../measure/cold.ts';
import type { MiddlewareCalls } from '../measure/middleware.ts';
import type { WarmCalls } from '../measure/warm.ts';
import { targets } from '../targets.ts';
import { differenceRow, type Row, ratioRow } from './row.ts';

/** How cold starts compare: ours with the references, and the peers with the bare SDK handler. */
export const coldRows = (starts: ColdStarts): Row[] =>
  operationNames.flatMap((operation) => {
    const limits = targets[operation];
    const values = (name: Contender, part: keyof ColdStart) =>
      starts[operation][name].map((start) => start[part]);
    const row = (what: string, part: keyof ColdStart, name: Contender, target?: number) =>
      ratioRow({ what: `${operation}: ${what}`, unit: 'ms', target }, values('ours', part), {
        name,
        values: values(name, part),
      });
    return [
      row('cold start', 'total', 'sdk', limits.coldAgainstSdk),
      row('first call after init', 'firstCall', 'sdk', limits.firstCallAgainstSdk),
      row('import', 'imported', 'sdk'),
      row('init: import, and what it began', 'init', 'sdk'),
      row('cold start', 'total', 'floor', limits.coldAgainstFloor),
      row('cold start', 'total', 'floor-fetch'),
      ...peers.map((name) => row('cold start', 'total', name)),
    ];
  });

/** How warm calls compare. */
export const warmRows = (calls: WarmCalls): Row[] =>
  operationNames.flatMap((operation) =>
    references.map((name) =>
      ratioRow(
        {
          what: `${operation}: warm call`,
          unit: 'µs',
          target: name === 'sdk' ? targets[operation].warmAgainstSdk : undefined,
        },
        calls[operation].ours,
        { name, values: calls[operation][name] },
      ),
    ),
  );

/** What the middlewares add to a bare handler. */
export const middlewareRows = (calls: MiddlewareCalls): Row[] =>
  operationNames.map((operation) =>
    differenceRow(
      {
        what: `${operation}: middlewares, warm`,
        unit: 'µs',
        target: targets[operation].middlewareMicros,
      },
      calls[operation].chain,
      { name: 'bare', values: calls[operation].bare },
    ),
  );
