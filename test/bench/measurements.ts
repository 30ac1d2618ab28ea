import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Contender, type MeasuredOperation, ours } from './contenders.ts';
import type { Outcome } from './driver.ts';
import { type Environment, startEnvironment } from './environment.ts';
import type { Row } from './report.ts';
import type { Stub } from './stub.ts';

/** What is measured with, beside what, and how often. */
export interface Setting {
  stub: Stub;
  others: readonly Contender[];
  rounds: number;
}

/** The parts of the benchmark, each with the rows that it measures. */
export const parts = {
  cold: coldRows,
  warm: warmRows,
  memory: memoryRows,
  size: sizeRows,
};

/** What is taken from the calls of a handler. docs/performance.md says what each row means. */
const metrics = {
  'cold start': { unit: 'ms', of: ({ initMs, callsMs }: Outcome) => initMs + callsMs },
  'first call': { unit: 'ms', of: ({ callsMs }: Outcome) => callsMs },
  'warm call': { unit: 'µs', of: ({ callsMs, times }: Outcome) => (callsMs * 1000) / times },
  heap: { unit: 'MB', of: ({ heap }: Outcome) => heap / 1e6 },
  'resident memory': { unit: 'MB', of: ({ resident }: Outcome) => resident / 1e6 },
} as const;
type Metric = keyof typeof metrics;

async function coldRows(operation: MeasuredOperation, { stub, others, rounds }: Setting) {
  const starts = await inTurn([ours, ...others], rounds, async (contender) => {
    const environment = startEnvironment(contender, operation, stub);
    const outcome = await environment.call();
    await environment.stop();
    return outcome;
  });
  return [
    ...comparisons('cold start', operation, others, starts),
    ...comparisons('first call', operation, others, starts),
  ];
}

/** Calls all in turn, block by block, each in a process of its own. */
async function warmRows(operation: MeasuredOperation, { stub, others, rounds }: Setting) {
  const environments = new Map<Contender, Environment>();
  const calls = await inTurn([ours, ...others], rounds, async (each) => {
    const environment = environments.get(each) ?? startEnvironment(each, operation, stub);
    if (!environments.has(each)) await environment.call({ times: 500 });
    environments.set(each, environment);
    return environment.call({ times: 200 });
  });
  for (const environment of environments.values()) await environment.stop();
  return comparisons('warm call', operation, others, calls);
}

/** A round takes more than a minute, and memory varies little. */
const MOST_MEMORY_ROUNDS = 3;

async function memoryRows(operation: MeasuredOperation, { stub, others, rounds }: Setting) {
  const ends = await inTurn(
    [ours, ...others],
    Math.min(rounds, MOST_MEMORY_ROUNDS),
    async (each) => {
      const environment = startEnvironment(each, operation, stub);
      // In blocks, so that events take little memory.
      for (let block = 1; block < 80; block += 1) await environment.call({ times: 250 });
      const outcome = await environment.call({ times: 250, collect: true });
      await environment.stop();
      return outcome;
    },
  );
  return [
    ...comparisons('heap', operation, others, ends),
    ...comparisons('resident memory', operation, others, ends),
  ];
}

function sizeRows(operation: MeasuredOperation, { others }: Setting): Row[] {
  const zipped = (contender: Contender) => [
    gzipSync(readFileSync(contender.bundle(operation)), { level: 9 }).length / 1000,
  ];
  return others.map((each) => ({
    metric: 'bundle, zipped',
    operation,
    unit: 'KB',
    ours: zipped(ours),
    other: { label: each.label, values: zipped(each) },
  }));
}

type Outcomes = ReadonlyMap<Contender, Outcome[]>;

/** Measures each in turn, round by round, so that what slows one round slows all. */
async function inTurn(
  contenders: readonly Contender[],
  rounds: number,
  measure: (contender: Contender) => Promise<Outcome>,
): Promise<Outcomes> {
  const outcomes = new Map(contenders.map((contender): [Contender, Outcome[]] => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, measurements] of outcomes) measurements.push(await measure(contender));
  }
  return outcomes;
}

/** A row for each of the others. */
function comparisons(
  metric: Metric,
  operation: MeasuredOperation,
  others: readonly Contender[],
  outcomes: Outcomes,
): Row[] {
  const { unit, of } = metrics[metric];
  const valuesOf = (contender: Contender) => outcomes.get(contender)?.map(of) ?? [];
  return others.map((each) => ({
    metric,
    operation,
    unit,
    ours: valuesOf(ours),
    other: { label: each.label, values: valuesOf(each) },
  }));
}
