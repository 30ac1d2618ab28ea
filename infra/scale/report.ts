import { lineChart } from '../charts/line-chart.ts';
import { PARTITION_READ_UNITS } from './partitions.ts';
import type { LoadResult, Simulation } from './simulation.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 3 });
const plural = (count: number, noun: string) =>
  `${whole.format(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The chart of the hottest partition against the load, as an SVG document. */
export function chartOf(simulation: Simulation): string {
  const { loads } = simulation;
  const series = (name: string, units: (load: LoadResult) => number) => ({
    name,
    points: loads.map((load) => [load.readsPerSecond, units(load)] as const),
  });
  return lineChart({
    title: "Reads of the hottest partition under Zipf's law",
    description: `${populationOf(simulation)} ${fullOf(simulation)}`,
    x: { label: 'Reads of the whole table', unit: 'a second', scale: 'log' },
    y: { label: 'Read units of one partition', unit: 'a second', scale: 'log' },
    series: [
      series('the hottest partition, before DynamoDB splits it', ({ hottest }) => hottest),
      series('the hottest partition, split for heat', ({ split }) => split.hottest),
      {
        ...series('the most read application, which cannot be split', ({ item }) => item),
        dashed: true,
      },
      { ...series('the limit of a partition', () => PARTITION_READ_UNITS), dashed: true },
    ],
    notes: [populationOf(simulation), fullOf(simulation)],
  });
}

/** What the simulation has found, in lines. */
export function summaryOf(simulation: Simulation): string {
  const { options, hottestItem, hottestJob, largestJob, loads } = simulation;
  const told = loads[(loads.length - 1) / 2];
  const split = told === undefined ? '' : partitionsAt(told);
  return [
    populationOf(simulation),
    `The most read application has ${percent.format(hottestItem)} of the reads, the most read job ` +
      `${percent.format(hottestJob)}; the largest job has ${plural(largestJob, 'application')}.`,
    `At ${whole.format(options.readsPerSecond)} reads a second: ${split}`,
    fullOf(simulation),
    '',
  ].join('\n');
}

function partitionsAt({ partitions, even, hottest, split, item }: LoadResult): string {
  return (
    `${plural(partitions, 'partition')} of ${whole.format(even)} read units each if spread evenly; ` +
    `the hottest has ${whole.format(hottest)}, and ${whole.format(split.hottest)} once DynamoDB has ` +
    `split the table into ${whole.format(split.partitions)}; the most read application alone ` +
    `${whole.format(item)}.`
  );
}

function populationOf({ options, bytes, unitsPerRead }: Simulation): string {
  const { applications, jobs, exponent, seed } = options;
  return (
    `${plural(applications, 'application')} to ${plural(jobs, 'job')}, ${three.format(bytes / 1e9)} GB, ` +
    `${unitsPerRead} read units a read, exponent ${exponent}, seed ${seed}.`
  );
}

function fullOf({ fullBeforeSplit, fullAfterSplit }: Simulation): string {
  return (
    `A partition is full at ${three.format(fullBeforeSplit)} reads a second before DynamoDB splits it, ` +
    `and however it splits at ${three.format(fullAfterSplit)}.`
  );
}
