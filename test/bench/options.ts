import { parseArgs } from 'node:util';
import { WrongUsage } from '../../infra/cli/command.ts';

export const parts = [
  'cold',
  'warm',
  'middleware',
  'memory',
  'size',
  'database',
  'service',
] as const;
export type Part = (typeof parts)[number];

export const USAGE = `Usage: npm run bench -- [--only PART,…] [--rounds N] [--json] [--strict]

  --only    what to measure, of ${parts.join(', ')}; by default all
  --rounds  how often each start and each block of calls is measured, in turn; by default 15
  --json    prints JSON instead of tables
  --strict  ends with exit code 1 where a target is missed
`;

export interface Options {
  help: boolean;
  json: boolean;
  strict: boolean;
  rounds: number;
  only: readonly Part[];
}

/** @throws WrongUsage, or an error of `parseArgs`, where the command line is wrong. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '15' },
      only: { type: 'string', default: parts.join(',') },
    },
  });
  if (!/^[1-9]\d{0,3}$/.test(values.rounds)) {
    throw new WrongUsage('--rounds must be a whole number from 1 to 9999.');
  }
  return { ...values, rounds: Number(values.rounds), only: values.only.split(',').map(partNamed) };
}

function partNamed(name: string): Part {
  const part = parts.find((known) => known === name);
  if (part === undefined) throw new WrongUsage(`--only takes ${parts.join(', ')}; not "${name}".`);
  return part;
}
