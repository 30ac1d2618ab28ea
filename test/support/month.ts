import type { Assumptions } from '../../infra/cost/assumptions.ts';
import { billOf } from '../../infra/cost/bill.ts';
import type { FunctionMeasurements, Measurements } from '../../infra/cost/measurements.ts';
import type { PriceName } from '../../infra/cost/prices.ts';

/** A function with measurements that are easy to reckon with. */
export const measured: FunctionMeasurements = {
  runtimeCpuMs: 40,
  initCpuMs: 60,
  firstCallCpuMs: 8,
  warmCallCpuMs: 1,
  peakMemoryMb: 128,
  databaseUnits: 0.5,
  logBytes: 400,
  accessLogBytes: 300,
  answerBytes: 2 ** 10,
};

/** Two functions of which that is known. */
export const measurements: Measurements = {
  date: '2026-11-01',
  machine: { processor: 'Example', cores: 2, node: 'v24.0.0', platform: 'linux x64' },
  rounds: 1,
  functions: {
    'get-application': measured,
    'update-job-status': { ...measured, databaseUnits: 2, answerBytes: 2 ** 9 },
  },
};

/** Nothing is waited for. */
export const noWaits = { databaseMs: 0, keysMs: 0, cpuFactor: 1 };

/** What the tests assume unless they say otherwise. */
export const assumptions: Assumptions = {
  coldShare: 0,
  databaseMs: 9,
  keysMs: 0,
  cpuFactor: 1,
  provisioned: 0,
  tableGb: 10,
  streamShards: 1,
  retentionDays: 365,
};

/** A month of these reads and writes at 1,769 MB. */
export const monthOf = (reads: number, writes: number, assumed: Partial<Assumptions> = {}) => ({
  requests: { 'get-application': reads, 'update-job-status': writes },
  memoryMb: 1769,
  assumptions: { ...assumptions, ...assumed },
});

type Month = ReturnType<typeof monthOf>;

/** A line of the bill of a month. */
export function lineOf(month: Month, name: PriceName) {
  const line = billOf(month, measurements).lines.find((one) => one.name === name);
  if (line === undefined) throw new Error(`The bill has no line ${name}.`);
  return { quantity: line.quantity, cost: line.cost };
}

export const totalOf = (month: Month) => billOf(month, measurements).total;
