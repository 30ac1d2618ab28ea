import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { accessLogLine } from './access-log.ts';
import { bundleOf, type Contender, contenders, referenceNames, references } from './contenders.ts';
import type { Outcome } from './driver.ts';
import { type Environment, eventFor, startEnvironment } from './environment.ts';
import type { Row } from './report.ts';
import { callInTurn, namesOf, recordOf, type Setting, startInTurn, succeed } from './rounds.ts';
import { JOB, sizes } from './stub/items.ts';
import type { Stub } from './stub/start.ts';
import { type Metric, type MetricName, metrics } from './targets.ts';

/** The parts of the benchmark, each with the rows that it measures. */
export const parts = {
  cold: (setting: Setting) => ofEach((operation) => coldRows(operation, setting)),
  warm: (setting: Setting) => ofEach((operation) => warmRows(operation, setting)),
  memory: (setting: Setting) => ofEach((operation) => memoryRows(operation, setting)),
  size: () => ofEach(sizeRows),
  log: (setting: Setting) => ofEach((operation) => logRows(operation, setting)),
  growth: async (setting: Setting) => [...(await itemRows(setting)), ...(await keyRows(setting))],
};

async function ofEach(measure: (operation: OperationName) => Row[] | Promise<Row[]>) {
  const rows: Row[] = [];
  for (const operation of operationNames) rows.push(...(await measure(operation)));
  return rows;
}

const coldStart = ({ initMs, callsMs }: Outcome) => initMs + callsMs;

async function coldRows(operation: OperationName, setting: Setting) {
  const subjects = recordOf(contenders, (contender) => ({ contender, operation }));
  const starts = await startInTurn(subjects, setting);
  const firstCall = ({ callsMs }: Outcome) => callsMs;
  return [
    ...comparisons('cold', operation, (name) => starts[name].map(coldStart)),
    ...comparisons('firstCall', operation, (name) => starts[name].map(firstCall)),
  ];
}

async function warmRows(operation: OperationName, setting: Setting) {
  const event = eventFor(operation, setting.stub.tokens.valid);
  const subjects = recordOf(contenders, (contender) => ({ contender, operation, event }));
  const calls = await callInTurn(subjects, { ...setting, warmUp: 500, block: 200 });
  return comparisons('warm', operation, (name) => calls[name].micros);
}

const CALLS = 20_000;
/** A round takes more than a minute, and memory varies little. */
const MOST_MEMORY_ROUNDS = 3;

async function memoryRows(operation: OperationName, { stub, rounds }: Setting) {
  const names = ['ours', 'sdk'] as const;
  const uses = recordOf(names, (): { half: Outcome; end: Outcome }[] => []);
  for (let round = 0; round < Math.min(rounds, MOST_MEMORY_ROUNDS); round += 1) {
    for (const contender of names) {
      const environment = startEnvironment({ contender, operation }, stub);
      const half = await callOften(environment, operation, stub);
      uses[contender].push({ half, end: await callOften(environment, operation, stub) });
      await environment.stop();
    }
  }
  const atEnd = (name: (typeof names)[number], metric: 'heap' | 'resident') =>
    uses[name].map(({ end }) => end[metric] / 1e6);
  const values = uses.ours.map(({ half }) => half.heap / 1e6);
  return [
    comparison('heap', operation, atEnd('ours', 'heap'), 'sdk', atEnd('sdk', 'heap')),
    comparison('resident', operation, atEnd('ours', 'resident'), 'sdk', atEnd('sdk', 'resident')),
    {
      ...alone('heapGrowth', operation, atEnd('ours', 'heap')),
      against: { label: 'ours, half of the calls', values },
    },
  ];
}

/** Makes half of the calls, in blocks, so that events take little memory. */
async function callOften(environment: Environment, operation: OperationName, stub: Stub) {
  const event = eventFor(operation, stub.tokens.valid);
  const times = 250;
  for (let calls = times; calls < CALLS / 2; calls += times) {
    await succeed(environment, { event, times });
  }
  return succeed(environment, { event, times, collect: true });
}

function sizeRows(operation: OperationName) {
  const code = (name: Contender) => readFileSync(bundleOf(name, operation));
  const zipped = (name: Contender) => [gzipSync(code(name), { level: 9 }).length / 1000];
  return [
    alone('minified', operation, [code('ours').length / 1000]),
    alone('zipped', operation, zipped('ours')),
    ...comparisons('zipped', operation, zipped),
  ];
}

async function logRows(operation: OperationName, { stub }: Setting) {
  const environment = startEnvironment({ contender: 'ours', operation }, stub);
  await succeed(environment, { event: eventFor(operation, stub.tokens.valid), times: 2 });
  const lines = [await environment.stop(), accessLogLine(operation)];
  return [alone('logged', operation, [Buffer.byteLength(`${lines.join('\n')}\n`)])];
}

/** Fewer calls than of an ordinary item, because those of a large one take long. */
const GROWTH = { warmUp: 300, block: 50 };

/** Compares the calls for each size of item, and each with the bare SDK handler's. */
async function itemRows(setting: Setting) {
  const operation = 'get-application';
  const { valid } = setting.stub.tokens;
  const names = namesOf(sizes).flatMap((size) => [`ours ${size}`, `sdk ${size}`] as const);
  const subjects = recordOf(names, (name) => {
    const contender = name.startsWith('ours') ? 'ours' : 'sdk';
    const candidate_id = name.replace(/^\w+ /, '');
    return {
      contender,
      operation,
      event: eventFor(operation, valid, { id: JOB, candidate_id }),
    } as const;
  });
  const calls = await callInTurn(subjects, { ...setting, ...GROWTH });
  const base = calls['ours 1 KB'];
  const rows = namesOf(sizes).flatMap((size) => {
    const { micros, resident } = calls[`ours ${size}`];
    return [
      growth('growthWarm', size, micros, references.sdk.label, calls[`sdk ${size}`].micros),
      growth('growthWarm', size, micros, 'ours, 1 KB', base.micros),
      growth('growthResident', size, resident, 'ours, 1 KB', base.resident),
    ];
  });
  return rows.filter(({ ours, against }) => ours !== against?.values);
}

/** Compares the calls and the starts for each number of keys in the JWKS. */
async function keyRows(setting: Setting) {
  const operation = 'get-application';
  const event = eventFor(operation, setting.stub.tokens.valid);
  const subjectWith = (keys: number) => ({ contender: 'ours', operation, keys, event }) as const;
  const subjects = { one: subjectWith(1), ten: subjectWith(10), hundred: subjectWith(100) };
  const calls = await callInTurn(subjects, { ...setting, ...GROWTH });
  const starts = await startInTurn(subjects, setting);
  const base = calls.one;
  return (['ten', 'hundred'] as const).flatMap((count) => {
    const what = `${subjects[count].keys} keys`;
    const { micros, resident } = calls[count];
    const [cold, baseCold] = [starts[count].map(coldStart), starts.one.map(coldStart)];
    return [
      growth('growthWarm', what, micros, 'ours, 1 key', base.micros),
      growth('growthResident', what, resident, 'ours, 1 key', base.resident),
      growth('growthCold', what, cold, 'ours, 1 key', baseCold),
    ];
  });
}

type Values = readonly number[];

/** Rows that compare ours with every reference. */
const comparisons = (
  metric: MetricName,
  operation: OperationName,
  values: (name: Contender) => Values,
): Row[] =>
  referenceNames.map((name) => comparison(metric, operation, values('ours'), name, values(name)));

const comparison = (
  metric: MetricName,
  operation: OperationName,
  ours: Values,
  name: keyof typeof references,
  values: Values,
): Row => ({
  metric,
  what: operation,
  ours,
  against: { label: references[name].label, values },
  target: targetOf(metric, name, operation),
});

const alone = (metric: MetricName, operation: OperationName, ours: Values): Row => ({
  metric,
  what: operation,
  ours,
  target: targetOf(metric, 'ours', operation),
});

const growth = (
  metric: MetricName,
  what: string,
  ours: Values,
  label: string,
  values: Values,
): Row => ({ metric, what, ours, against: { label, values } });

function targetOf(metric: MetricName, name: Contender, operation: OperationName) {
  const { targets }: Metric = metrics[metric];
  return targets?.[name]?.[operation];
}
