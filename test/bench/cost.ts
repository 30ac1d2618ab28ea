// npm run bench:cost: measures what the bill of `npm run cost` is made of, and writes it and what the
// documents show of it.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { buildBundles } from '../../infra/build/bundles.ts';
import { root } from '../../infra/build/files.ts';
import { runCommand, WrongUsage } from '../../infra/commands/command.ts';
import type { FunctionMeasurements, Measurements } from '../../infra/cost/measurements.ts';
import { buildReferences, bundleOf } from './contenders.ts';
import { machine } from './machine.ts';
import { startUntilServed } from './measure/cold.ts';
import { type DatabaseCosts, measureDatabase } from './measure/database.ts';
import { memoryOf } from './measure/memory.ts';
import { measureTraffic } from './measure/traffic.ts';
import { compareWarm } from './measure/warm.ts';
import { recordInTurn } from './records.ts';
import { summarize } from './statistics.ts';
import { type Stub, startStub } from './stub/start.ts';

const USAGE = `Usage: npm run bench:cost [--rounds N]

Measures both functions on this machine, which should have nothing else to do, and writes
infra/cost/measurements.json, the charts in docs/ and the example in README.md.

  --rounds  how often each start and each block of 200 calls is measured; by default 15
`;

const FILE = 'infra/cost/measurements.json';

await runCommand(USAGE, main);

async function main(): Promise<undefined> {
  const { help, rounds } = readOptions();
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  await Promise.all([buildBundles(), buildReferences()]);
  const stub = await startStub();
  const measured = await measure(stub, rounds).finally(() => stub.stop());
  const path = fileURLToPath(new URL(FILE, root));
  await writeFile(path, `${JSON.stringify(measured, undefined, 2)}\n`);
  writeDocuments();
}

/** In a process of its own, which reads the new measurements. */
function writeDocuments(): void {
  const command = fileURLToPath(new URL('infra/commands/cost.ts', root));
  const { status } = spawnSync(process.execPath, [command, '--docs'], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${FILE} is written, but npm run cost -- --docs has failed.`);
}

function readOptions(): { help: boolean; rounds: number } {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '15' },
    },
  });
  if (!/^[1-9]\d{0,3}$/.test(values.rounds)) {
    throw new WrongUsage('--rounds must be a whole number from 1 to 9999.');
  }
  return { help: values.help, rounds: Number(values.rounds) };
}

async function measure(stub: Stub, rounds: number): Promise<Measurements> {
  const database = await measureDatabase(stub);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    rounds,
    functions: await recordInTurn(operationNames, (operation) => {
      process.stderr.write(`Measuring: ${operation} …\n`);
      return measureFunction(operation, stub, rounds, database);
    }),
  };
}

async function measureFunction(
  operation: OperationName,
  stub: Stub,
  rounds: number,
  database: DatabaseCosts,
): Promise<FunctionMeasurements> {
  const bundle = bundleOf('ours', operation);
  const starts = [];
  for (let round = 0; round < rounds; round += 1) {
    starts.push(await startUntilServed('ours', operation, stub));
  }
  const pace = { warmUp: 500, block: 200 };
  const { ours: warm } = await compareWarm({ ours: bundle }, operation, stub, rounds, pace);
  const { atEnd } = await memoryOf(bundle, operation, stub);
  return {
    runtimeCpuMs: medianOf(starts.map((start) => start.runtime)),
    initCpuMs: medianOf(starts.map((start) => start.init)),
    firstCallCpuMs: medianOf(starts.map((start) => start.firstCall)),
    warmCallCpuMs: medianOf(warm.map((micros) => micros / 1000)),
    peakMemoryMb: Math.ceil(atEnd.peakRss / 1024 ** 2),
    databaseUnits: (operation === 'get-application' ? database.read : database.change).units,
    ...(await measureTraffic(operation, stub)),
  };
}

/** The median, to three digits that matter. */
function medianOf(values: number[]): number {
  return Number(summarize(values).median.toPrecision(3));
}
