import { operationNames } from '../../../functions/contract/operations.ts';
import { type Contender, contenders } from '../contenders.ts';
import type { ColdStart, ColdStarts } from '../measure/cold.ts';
import type { WarmCalls } from '../measure/warm.ts';
import { targets } from '../targets.ts';
import { type Row, ratioRow } from './row.ts';

/** How cold starts compare: each contender with the bare SDK handler, and ours with the floor. */
export const coldRows = (starts: ColdStarts): Row[] =>
  operationNames.flatMap((operation) => {
    const limits = targets[operation];
    const series = (name: Contender, part: keyof ColdStart) => ({
      name,
      values: starts[operation][name].map((start) => start[part]),
    });
    const row = (what: string, part: keyof ColdStart, against: Contender, target?: number) =>
      ratioRow(`${operation}: ${what}`, 'ms', series('ours', part), series(against, part), target);
    return [
      row('cold start', 'total', 'sdk', limits.coldAgainstSdk),
      row('first call after init', 'firstCall', 'sdk', limits.firstCallAgainstSdk),
      row('init', 'init', 'sdk'),
      row('cold start', 'total', 'floor', limits.coldAgainstFloor),
      row('cold start', 'total', 'floor-fetch'),
    ];
  });

/** How warm calls compare. */
export const warmRows = (calls: WarmCalls): Row[] =>
  operationNames.flatMap((operation) =>
    contenders
      .filter((name) => name !== 'ours')
      .map((name) =>
        ratioRow(
          `${operation}: warm call`,
          'µs',
          { name: 'ours', values: calls[operation].ours },
          { name, values: calls[operation][name] },
          name === 'sdk' ? targets[operation].warmAgainstSdk : undefined,
        ),
      ),
  );
