import { operationNames } from '../../functions/contract/operations.ts';
import type { Assumptions } from './assumptions.ts';
import type { Bill } from './bill.ts';
import { columns } from './columns.ts';
import { FULL_PROCESSOR_MB } from './durations.ts';
import type { Measurements } from './measurements.ts';
import { memorySizesMb } from './memory-rule.ts';
import { priceDate, priceRegion } from './prices.ts';
import { type AtSize, atSize, weighted } from './sizes.ts';
import type { Month } from './usage.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const precise = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const tenths = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const quantityOf = (value: number) =>
  (value < 1 ? small : value < 100 ? precise : whole).format(value);
const dollarsOf = (usd: number) => (usd < 0.005 ? '<0.01' : cents.format(usd));
const percentOf = (share: number) => `${precise.format(share * 100)} %`;

/** The bill as text: what is used, and what it costs. */
export function billText(
  { requests, memoryMb }: Month,
  { lines, total, perMillion }: Bill,
): string {
  const used = lines.filter(({ quantity }) => quantity > 0);
  const rows = [
    ...used.map(({ line, quantity, unit, cost }) => [
      line,
      `${quantityOf(quantity)} ${unit}`,
      dollarsOf(cost),
    ]),
    ['A month', '', dollarsOf(total)],
    ...(perMillion === undefined ? [] : [['A million requests', '', dollarsOf(perMillion)]]),
  ];
  const reads = whole.format(requests['get-application']);
  const updates = whole.format(requests['update-job-status']);
  const heading = `${reads} reads and ${updates} status updates a month at ${memoryMb} MB, US dollars`;
  return `${heading}\n\n${columns(rows)}`;
}

/** What other memory sizes would mean, as text; the month's size is marked. */
export function sizesText(month: Month, measurements: Measurements): string {
  const { requests, memoryMb, assumptions } = month;
  const all = [...new Set([...memorySizesMb, memoryMb])].toSorted((one, other) => one - other);
  const rows = all.map((size) => {
    const at = atSize(size, measurements, assumptions);
    const mean = (of: (at: AtSize['functions'][keyof AtSize['functions']]) => number) =>
      weighted(requests, (name) => of(at.functions[name]));
    return [
      `${size === memoryMb ? '>' : ' '} ${size} MB`,
      tenths.format(mean(({ warmCallMs }) => warmCallMs)),
      whole.format(mean(({ firstCallMs }) => firstCallMs)),
      whole.format(mean(({ coldStartMs }) => coldStartMs)),
      cents.format(mean(({ lambdaPerMillion }) => lambdaPerMillion)),
      percentOf(Math.round(at.memoryHeld * 100) / 100),
      at.fits ? 'yes' : 'no',
    ];
  });
  return columns([
    ['  memory', 'warm ms', 'first call ms', 'cold start ms', 'Lambda $/million', 'held', 'fits'],
    ...rows,
  ]);
}

/** What the numbers are made of, as text. */
export function basisText(measurements: Measurements, assumptions: Assumptions): string {
  const { date, machine, rounds, functions } = measurements;
  const processor = operationNames.map((name) => {
    const { runtimeCpuMs, initCpuMs, firstCallCpuMs, warmCallCpuMs } = functions[name];
    return `- ${name}: init ${runtimeCpuMs} + ${initCpuMs} ms, first call ${firstCallCpuMs} ms, warm call ${warmCallCpuMs} ms`;
  });
  return [
    `Measured processor time, medians of ${rounds} rounds on ${date} (${machine.processor}, Node.js ${machine.node})`,
    ...processor,
    'Assumed',
    `- ${percentOf(assumptions.coldShare)} of requests are cold starts (--cold-share); none where environments are provisioned`,
    `- DynamoDB answers in ${assumptions.databaseMs} ms (--database-ms); a start waits ${assumptions.keysMs} ms for the issuer's keys (--keys-ms)`,
    `- Lambda's processor takes ${assumptions.cpuFactor} times the measured time (--cpu-factor), one thread has memory / ${FULL_PROCESSOR_MB} MB of it, init all of it`,
    `- the table holds ${assumptions.tableGb} GB (--table-gb), its stream has ${assumptions.streamShards} shards (--stream-shards), logs are kept for ${assumptions.retentionDays} days (--retention-days)`,
    `List prices of ${priceRegion}, ${priceDate}, without free tiers and taxes. docs/cost.md says more.`,
    '',
  ].join('\n');
}
