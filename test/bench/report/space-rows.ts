import { operationNames } from '../../../functions/contract/operations.ts';
import type { Memory } from '../measure/contender-process.ts';
import type { DatabaseCosts } from '../measure/database.ts';
import type { MemoryUse, MemoryUses } from '../measure/memory.ts';
import type { Sizes } from '../measure/size.ts';
import { databaseTargets, targets } from '../targets.ts';
import { plainRow, type Row, ratioRow } from './row.ts';

const megabytes = (bytes: number) => bytes / 1_000_000;
const kilobytes = (bytes: number) => bytes / 1000;

/** What of the memory after 20,000 calls is compared. */
const MEASURES: readonly { measure: keyof Memory; name: string }[] = [
  { measure: 'heapUsed', name: 'heap' },
  { measure: 'rss', name: 'resident memory' },
];

/** How memory compares after 20,000 calls, and with what it was after half of them. */
export const memoryRows = (uses: MemoryUses): Row[] =>
  operationNames.flatMap((operation) => {
    const { ours, sdk } = uses[operation];
    const atEnd = (use: MemoryUse[], measure: keyof Memory) =>
      use.map((round) => megabytes(round.atEnd[measure]));
    const { memoryAgainstSdk, heapGrowth } = targets[operation];
    const compared = MEASURES.map(({ measure, name }) =>
      ratioRow(
        { what: `${operation}: ${name}, 20,000 calls`, unit: 'MB', target: memoryAgainstSdk },
        atEnd(ours, measure),
        { name: 'sdk', values: atEnd(sdk, measure) },
      ),
    );
    const growth = ratioRow(
      { what: `${operation}: heap, against half of the calls`, unit: 'MB', target: heapGrowth },
      atEnd(ours, 'heapUsed'),
      { name: 'at half', values: ours.map((round) => megabytes(round.halfway.heapUsed)) },
    );
    return [...compared, growth];
  });

/** The sizes of our bundles. */
export const sizeRows = (sizes: Sizes): Row[] =>
  operationNames.flatMap((operation) => {
    const { ours, sdk } = sizes[operation];
    const { minifiedKilobytes, zippedKilobytes } = targets[operation];
    const row = (what: string, bytes: number, target: number) =>
      plainRow({ what: `${operation}: ${what}`, unit: 'KB', target }, [kilobytes(bytes)]);
    return [
      row('bundle', ours.bytes, minifiedKilobytes),
      row('bundle, zipped', ours.zipped, zippedKilobytes),
      plainRow({ what: `${operation}: bundle of sdk, zipped`, unit: 'KB' }, [
        kilobytes(sdk.zipped),
      ]),
    ];
  });

/** What a request costs at DynamoDB. */
export function databaseRows({ read, change, noChange }: DatabaseCosts): Row[] {
  const { requests, readUnits, writeUnits } = databaseTargets;
  const rows = [
    { what: 'read', cost: read, unit: 'RRU', target: readUnits },
    { what: 'status change', cost: change, unit: 'WRU', target: writeUnits },
    { what: 'no change, by the documentation', cost: noChange, unit: 'WRU', target: writeUnits },
  ];
  return rows.flatMap(({ what, cost, unit, target }) => [
    plainRow({ what: `DynamoDB: ${what}`, unit: 'requests', target: requests }, [cost.requests]),
    plainRow({ what: `DynamoDB: ${what}`, unit, target }, [cost.units]),
  ]);
}
