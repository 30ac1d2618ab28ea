// `npm run simulate`: the hottest partition of the table under skewed load.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root, writeChanged } from '../build/files.ts';
import { chartOf, summaryOf } from '../scale/report.ts';
import { simulate } from '../scale/simulation.ts';
import { runCommand, WrongUsage } from './command.ts';
import { writeNew } from './output-file.ts';

const USAGE = `Usage: npm run simulate -- [--applications N] [--jobs N] [--exponent S] [--reads-per-second N]
                           [--item-bytes N] [--seed N] [--output FILE]

Simulates which partition of the table is read most, where the reads of applications and the
applications of jobs follow Zipf's law, prints what it finds and draws docs/scale.svg. The same options
give the same file. docs/scale.md says what is assumed.

  --applications N      by default 10000000
  --jobs N              by default 100000
  --exponent S          of Zipf's law: 0 is even, 1 (the default) a well-known skew, at most 3
  --reads-per-second N  by default 10000; the chart reaches from a hundredth to a hundredfold
  --item-bytes N        the average size of an application; by default 2500
  --seed N              by default 1
  --output FILE         draw the chart there, and leave docs/scale.svg; a file that exists is not
                        overwritten
`;

/** Drawn anew whenever no other file is named: it is in the repository, which shows what has changed. */
const OF_DOCS = new URL('docs/scale.svg', root);

/** The options that are numbers: their default, least and greatest value. */
const NUMBERS = {
  applications: [10_000_000, 1, 50_000_000],
  jobs: [100_000, 1, 5_000_000],
  exponent: [1, 0, 3],
  'reads-per-second': [10_000, 1, 10_000_000],
  'item-bytes': [2500, 1, 400_000],
  seed: [1, 0, 2 ** 32 - 1],
} as const;

type NumberName = keyof typeof NUMBERS;

await runCommand(USAGE, async () => {
  const { help, output, ...given } = readArguments();
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  const simulation = simulate({
    applications: numberOf('applications', given),
    jobs: numberOf('jobs', given),
    exponent: numberOf('exponent', given),
    readsPerSecond: numberOf('reads-per-second', given),
    itemBytes: numberOf('item-bytes', given),
    seed: numberOf('seed', given),
  });
  const chart = chartOf(simulation);
  if (output === undefined) await writeChanged(fileURLToPath(OF_DOCS), Buffer.from(chart));
  else await writeNew(output, chart);
  process.stdout.write(summaryOf(simulation));
  return undefined;
});

function readArguments() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      applications: { type: 'string' },
      jobs: { type: 'string' },
      exponent: { type: 'string' },
      'reads-per-second': { type: 'string' },
      'item-bytes': { type: 'string' },
      seed: { type: 'string' },
      output: { type: 'string' },
    },
  });
  if (values.output === '') throw new WrongUsage('--output needs the name of a file.');
  return values;
}

function numberOf(name: NumberName, given: Partial<Record<NumberName, string>>): number {
  const [standard, least, greatest] = NUMBERS[name];
  const text = given[name];
  if (text === undefined) return standard;
  const isWritten = name === 'exponent' ? /^\d(\.\d{1,3})?$/ : /^\d{1,10}$/;
  const value = Number(text);
  if (!isWritten.test(text) || value < least || value > greatest) {
    const kind = name === 'exponent' ? 'a number' : 'a whole number';
    throw new WrongUsage(`--${name} must be ${kind} from ${least} to ${greatest}.`);
  }
  return value;
}
