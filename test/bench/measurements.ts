import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { accessLogLine } from '../support/access-log.ts';
import {
  bundleOf,
  contenders,
  type MeasuredOperation,
  measured,
  type Reference,
  referenceNames,
  references,
} from './contenders.ts';
import type { Outcome } from './driver.ts';
import { type Subject, startEnvironment } from './environment.ts';
import { sizeNames } from './items.ts';
import { type Metric, metrics, targets } from './metrics.ts';
import type { Row } from './report.ts';
import type { Stub } from './stub.ts';

/** What is measured with, and how often. */
export interface Setting {
  stub: Stub;
  rounds: number;
}

/** The parts of the benchmark, each with the rows that it measures. */
export const parts = {
  cold: ofEach(coldRows),
  warm: ofEach(warmRows),
  memory: ofEach(memoryRows),
  size: ofEach(sizeRows),
  log: ofEach(logRows),
  growth: async (setting: Setting) => [...(await itemRows(setting)), ...(await keyRows(setting))],
};

function ofEach(
  measure: (operation: MeasuredOperation, setting: Setting) => Row[] | Promise<Row[]>,
) {
  return async (setting: Setting) => {
    const rows: Row[] = [];
    for (const operation of measured) rows.push(...(await measure(operation, setting)));
    return rows;
  };
}

async function coldRows(operation: MeasuredOperation, { stub, rounds }: Setting) {
  const starts = await inTurn(contenders, rounds, (contender) =>
    startOnce({ contender, operation }, stub),
  );
  const metricNames = ['cold start', 'first call'] as const;
  return metricNames.flatMap((metric) =>
    referenceNames.map((name) => against(name, metric, operation, starts.ours, starts[name])),
  );
}

async function warmRows(operation: MeasuredOperation, setting: Setting) {
  const subjects = recordOf(contenders, (contender) => ({ contender, operation }));
  const calls = await callInTurn(subjects, { ...setting, warmUp: 500, block: 200 });
  return referenceNames.map((name) =>
    against(name, 'warm call', operation, calls.ours, calls[name]),
  );
}

const CALLS = 20_000;
/** A round takes more than a minute, and memory varies little. */
const MOST_MEMORY_ROUNDS = 3;

async function memoryRows(operation: MeasuredOperation, { stub, rounds }: Setting): Promise<Row[]> {
  const halves: Outcome[] = [];
  const ends = await inTurn(['ours', 'sdk'], Math.min(rounds, MOST_MEMORY_ROUNDS), async (name) => {
    const environment = startEnvironment({ contender: name, operation }, stub);
    /** Makes half of the calls, in blocks, so that events take little memory. */
    const callOften = async () => {
      const times = 250;
      for (let calls = times; calls < CALLS / 2; calls += times)
        await environment.measure({ times });
      return environment.measure({ times, collect: true });
    };
    const half = await callOften();
    if (name === 'ours') halves.push(half);
    const end = await callOften();
    await environment.stop();
    return end;
  });
  const growth = compared('heap', operation, ends.ours, 'ours, half of the calls', halves);
  return [
    against('sdk', 'heap', operation, ends.ours, ends.sdk),
    against('sdk', 'resident memory', operation, ends.ours, ends.sdk),
    { ...growth, metric: 'heap growth', target: targets['heap growth']?.ours?.[operation] },
  ];
}

function sizeRows(operation: MeasuredOperation): Row[] {
  const code = readFileSync(bundleOf('ours', operation));
  const zipped = recordOf(contenders, (name) => [
    gzipSync(readFileSync(bundleOf(name, operation)), { level: 9 }).length / 1000,
  ]);
  const row = alone('bundle, zipped', operation, 'KB', zipped.ours);
  return [
    alone('bundle', operation, 'KB', [code.length / 1000]),
    row,
    ...referenceNames.map((name) => ({
      ...row,
      other: { label: references[name].label, values: zipped[name] },
      target: undefined,
    })),
  ];
}

async function logRows(operation: MeasuredOperation, { stub }: Setting) {
  const environment = startEnvironment({ contender: 'ours', operation }, stub);
  await environment.measure({ times: 2 });
  const lines = [await environment.stop(), accessLogLine(operation)];
  return [alone('log', operation, 'bytes', [Buffer.byteLength(`${lines.join('\n')}\n`)])];
}

/** Fewer calls than of an ordinary item, because those of a large one take long. */
const GROWTH = { warmUp: 300, block: 50 };

/** Compares the calls for each size of item, and each with the bare SDK handler's. */
async function itemRows(setting: Setting) {
  const names = sizeNames.flatMap((size) => [`ours ${size}`, `sdk ${size}`] as const);
  const subjects = recordOf(names, (name) => ({
    contender: name.startsWith('ours') ? ('ours' as const) : ('sdk' as const),
    operation: 'get-application' as const,
    candidate: name.replace(/^\w+ /, ''),
  }));
  const calls = await callInTurn(subjects, { ...setting, ...GROWTH });
  const withSdk = sizeNames.map((size) =>
    compared('warm call', size, calls[`ours ${size}`], references.sdk.label, calls[`sdk ${size}`]),
  );
  const withSmallest = sizeNames
    .slice(1)
    .flatMap((size) =>
      (['warm call', 'resident memory'] as const).map((metric) =>
        compared(metric, size, calls[`ours ${size}`], 'ours, 1 KB', calls['ours 1 KB']),
      ),
    );
  return [...withSdk, ...withSmallest];
}

/** Compares the calls and the starts for each number of keys in the JWKS. */
async function keyRows(setting: Setting) {
  const subjectOf = (keys: number): Subject => ({
    contender: 'ours',
    operation: 'get-application',
    keys,
  });
  const subjects = { '1 key': subjectOf(1), '10 keys': subjectOf(10), '100 keys': subjectOf(100) };
  const calls = await callInTurn(subjects, { ...setting, ...GROWTH });
  const starts = await inTurn(namesOf(subjects), setting.rounds, (name) =>
    startOnce(subjects[name], setting.stub),
  );
  return (['10 keys', '100 keys'] as const).flatMap((name) => [
    compared('warm call', name, calls[name], 'ours, 1 key', calls['1 key']),
    compared('resident memory', name, calls[name], 'ours, 1 key', calls['1 key']),
    compared('cold start', name, starts[name], 'ours, 1 key', starts['1 key']),
  ]);
}

/** Measures each in turn, round by round, so that what slows one round slows all. */
async function inTurn<Name extends string>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<Outcome>,
): Promise<Record<Name, Outcome[]>> {
  const outcomes = recordOf(names, (): Outcome[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) outcomes[name].push(await measure(name));
  }
  return outcomes;
}

async function startOnce(subject: Subject, stub: Stub): Promise<Outcome> {
  const environment = startEnvironment(subject, stub);
  const outcome = await environment.measure();
  await environment.stop();
  return outcome;
}

/** Calls every subject in turn, block by block, each in a process of its own. */
async function callInTurn<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  { stub, rounds, warmUp, block }: Setting & { warmUp: number; block: number },
) {
  const names = namesOf(subjects);
  const environments = recordOf(names, (name) => startEnvironment(subjects[name], stub));
  for (const name of names) await environments[name].measure({ times: warmUp });
  const outcomes = await inTurn(names, rounds, (name) =>
    environments[name].measure({ times: block }),
  );
  for (const name of names) await environments[name].stop();
  return outcomes;
}

const namesOf = <Name extends string>(record: Readonly<Record<Name, unknown>>) =>
  Object.keys(record) as Name[];

/** A record with a value for each of these names. */
function recordOf<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  const record = Object.fromEntries(names.map((name) => [name, make(name)]));
  return record as Record<Name, Value>;
}

const alone = (
  metric: string,
  operation: MeasuredOperation,
  unit: string,
  ours: readonly number[],
): Row => ({ metric, what: operation, unit, ours, target: targets[metric]?.ours?.[operation] });

/** A row that compares two series of calls. */
const compared = (
  metric: Metric,
  what: string,
  ours: readonly Outcome[],
  label: string,
  others: readonly Outcome[],
): Row => {
  const { unit, of } = metrics[metric];
  return { metric, what, unit, ours: ours.map(of), other: { label, values: others.map(of) } };
};

/** A row that compares ours with a reference, by its target. */
const against = (
  name: Reference,
  metric: Metric,
  operation: MeasuredOperation,
  ours: readonly Outcome[],
  others: readonly Outcome[],
): Row => ({
  ...compared(metric, operation, ours, references[name].label, others),
  target: targets[metric]?.[name]?.[operation],
});
