import { parseArgs } from 'node:util';
import { WrongUsage } from '../commands/command.ts';
import { type Assumptions, defaultAssumptions as defaults } from './assumptions.ts';
import { MEMORY_LIMITS_MB } from './durations.ts';
import { memorySizeMb } from './memory-size.ts';
import type { Month } from './usage.ts';

export const USAGE = `Usage: npm run cost -- --reads N --writes M [--memory MB] [--json] [assumptions]
       npm run cost -- --docs

Prints what AWS bills for a month of N reads and M status updates, line by line, and what other
memory sizes would mean. Durations are made of processor time that npm run bench:cost has measured.

  --reads N             requests of GET application in a month
  --writes M            requests of PATCH status in a month
  --memory MB           the functions' memory size; by default the stack's, ${memorySizeMb}
  --json                prints JSON instead
  --docs                writes docs/cost.svg and docs/cold-start.svg, and the example in README.md

Assumptions, and what they are by default:

  --cold-share S        the share of requests that start a function, 0 to 1; ${defaults.coldShare}
  --database-ms MS      how long DynamoDB takes to answer; ${defaults.databaseMs}
  --keys-ms MS          how long a start waits for the issuer's keys; ${defaults.keysMs}
  --cpu-factor F        processor time on Lambda, as a multiple of the measured; ${defaults.cpuFactor}
  --provisioned N       environments that Lambda keeps ready for each function; ${defaults.provisioned}
  --table-gb GB         what the table holds; ${defaults.tableGb}
  --stream-shards N     shards of the table's stream; ${defaults.streamShards}
  --retention-days N    for how long logs are kept; ${defaults.retentionDays}, as in the stage prod
`;

/** What the command line asks for. */
export type CostOptions =
  | { do: 'help' }
  | { do: 'docs' }
  | { do: 'bill'; json: boolean; month: Month };

/** What a number on the command line may be. */
interface Rule {
  least: number;
  most: number;
  whole?: true;
}

const requests: Rule = { least: 0, most: 1e12, whole: true };
const memory: Rule = { least: MEMORY_LIMITS_MB.least, most: MEMORY_LIMITS_MB.most, whole: true };
const milliseconds: Rule = { least: 0, most: 10_000 };

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  help: flag,
  json: flag,
  docs: flag,
  reads: text,
  writes: text,
  memory: text,
  'cold-share': text,
  'database-ms': text,
  'keys-ms': text,
  'cpu-factor': text,
  provisioned: text,
  'table-gb': text,
  'stream-shards': text,
  'retention-days': text,
};

type Values = ReturnType<typeof parse>;
type Numbers = Exclude<keyof Values, 'help' | 'json' | 'docs'>;

/** @throws WrongUsage, or an error of `parseArgs`, where the command line is wrong. */
export function readOptions(args: string[]): CostOptions {
  const values = parse(args);
  if (values.help) return { do: 'help' };
  if (values.docs) {
    if (Object.keys(values).length > 3 || values.json) {
      throw new WrongUsage('--docs writes the example of the documents: it takes no other option.');
    }
    return { do: 'docs' };
  }
  if (values.reads === undefined || values.writes === undefined) {
    throw new WrongUsage('Say how many requests a month has: --reads N --writes M.');
  }
  return { do: 'bill', json: values.json, month: monthOf(values) };
}

const parse = (args: string[]) => parseArgs({ args, options }).values;

function monthOf(values: Values): Month {
  return {
    requests: {
      'get-application': numberOf(values, 'reads', requests, 0),
      'update-job-status': numberOf(values, 'writes', requests, 0),
    },
    memoryMb: numberOf(values, 'memory', memory, memorySizeMb),
    assumptions: assumptionsOf(values),
  };
}

function assumptionsOf(values: Values): Assumptions {
  const of = (name: Numbers, rule: Rule, otherwise: number) =>
    numberOf(values, name, rule, otherwise);
  return {
    coldShare: of('cold-share', { least: 0, most: 1 }, defaults.coldShare),
    databaseMs: of('database-ms', milliseconds, defaults.databaseMs),
    keysMs: of('keys-ms', milliseconds, defaults.keysMs),
    cpuFactor: of('cpu-factor', { least: 0.1, most: 10 }, defaults.cpuFactor),
    provisioned: of('provisioned', { least: 0, most: 10_000, whole: true }, defaults.provisioned),
    tableGb: of('table-gb', { least: 0, most: 1e6 }, defaults.tableGb),
    streamShards: of('stream-shards', { least: 1, most: 1e5, whole: true }, defaults.streamShards),
    retentionDays: of(
      'retention-days',
      { least: 1, most: 3653, whole: true },
      defaults.retentionDays,
    ),
  };
}

function numberOf(values: Values, name: Numbers, rule: Rule, otherwise: number): number {
  const said = values[name];
  if (said === undefined) return otherwise;
  const { least, most, whole = false } = rule;
  const value = /^\d{1,15}(\.\d{1,9})?$/.test(said) ? Number(said) : Number.NaN;
  const fits = value >= least && value <= most && (!whole || Number.isInteger(value));
  if (!fits) {
    const kind = whole ? 'a whole number' : 'a number';
    throw new WrongUsage(`--${name} must be ${kind} from ${least} to ${most}; not "${said}".`);
  }
  return value;
}
