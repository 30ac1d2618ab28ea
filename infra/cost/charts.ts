import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import type { Axis } from '../charts/axis.ts';
import { lineChart, type Series } from '../charts/line-chart.ts';
import type { Assumptions } from './assumptions.ts';
import { FULL_PROCESSOR_MB } from './durations.ts';
import type { Measurements } from './measurements.ts';
import { memorySizesMb } from './memory-rule.ts';
import { priceDate, priceRegion } from './prices.ts';
import { type AtSize, atSize, type FunctionAtSize } from './sizes.ts';

/** The sizes that the lines go through, in MB: Lambda's own steps once were of 64. */
const STEP_MB = 64;
const LEAST_MB = 128;
const MOST_MB = 3008;

const memoryAxis: Axis = {
  label: 'memory size',
  unit: 'MB',
  scale: 'log',
  ticks: memorySizesMb,
  writtenOut: true,
};

/** What a chart shows of a function. */
interface Shown {
  title: string;
  y: Axis;
  /** The lines of each function. */
  lines: { suffix: string; value: (at: FunctionAtSize) => number }[];
}

const cost: Shown = {
  title: 'What Lambda takes for a million requests',
  y: { label: 'US dollars for a million requests', scale: 'linear' },
  lines: [{ suffix: 'requests and duration', value: (at) => at.lambdaPerMillion }],
};

const coldStart: Shown = {
  title: 'How long a cold start takes',
  y: { label: 'time', unit: 'ms', scale: 'linear' },
  lines: [
    { suffix: 'init and first call', value: (at) => at.coldStartMs },
    { suffix: 'first call alone', value: (at) => at.firstCallMs },
  ],
};

/** The charts of cost and of cold starts over memory sizes, as SVG documents by their file names. */
export function costCharts(
  chosenMb: number,
  measurements: Measurements,
  assumptions: Assumptions,
): Record<'cost.svg' | 'cold-start.svg', string> {
  const sizes = sizesBetween().map((size) => atSize(size, measurements, assumptions));
  const chosen = atSize(chosenMb, measurements, assumptions);
  return {
    'cost.svg': chartOf(cost, sizes, chosen, [
      `List prices of ${priceRegion} of ${priceDate}; ${assumptions.coldShare * 100} % cold starts.`,
      ...notes(measurements),
    ]),
    'cold-start.svg': chartOf(coldStart, sizes, chosen, notes(measurements)),
  };
}

function chartOf({ title, y, lines }: Shown, sizes: AtSize[], chosen: AtSize, notes: string[]) {
  const series = operationNames.flatMap((name) =>
    lines.map(
      ({ suffix, value }): Series => ({
        name: `${name}: ${suffix}`,
        points: sizes.map((at) => [at.memoryMb, value(at.functions[name])]),
      }),
    ),
  );
  const top = Math.max(...series.flatMap(({ points }) => points.map((point) => point[1])));
  return lineChart({
    title,
    description: descriptionOf(title, sizes, chosen, lines),
    x: memoryAxis,
    y,
    series: [...series, chosenLine(chosen.memoryMb, top)],
    notes,
  });
}

/** An upright line at the size that the stack has. */
const chosenLine = (memoryMb: number, top: number): Series => ({
  name: `${memoryMb} MB, the size in the stack`,
  points: [
    [memoryMb, 0],
    [memoryMb, top],
  ],
  dashed: true,
});

function descriptionOf(title: string, sizes: AtSize[], chosen: AtSize, lines: Shown['lines']) {
  const [least] = sizes;
  const most = sizes.at(-1);
  const told = operationNames.flatMap((name: OperationName) =>
    lines.map(({ suffix, value }) => {
      const values = [least, chosen, most].map((at) =>
        at === undefined ? '' : `${rounded(value(at.functions[name]))} at ${at.memoryMb} MB`,
      );
      return `${name}, ${suffix}: ${values.join(', ')}.`;
    }),
  );
  return `${title}, by memory size. ${told.join(' ')}`;
}

const rounded = (value: number) => Number(value.toPrecision(3));

const notes = ({ date, machine }: Measurements) => [
  `From processor time measured on ${date}: ${machine.processor}, Node.js ${machine.node}. docs/cost.md says what is assumed.`,
];

function sizesBetween(): number[] {
  const steps = Array.from(
    { length: (MOST_MB - LEAST_MB) / STEP_MB + 1 },
    (_, step) => LEAST_MB + step * STEP_MB,
  );
  return [...steps, FULL_PROCESSOR_MB].toSorted((one, other) => one - other);
}
