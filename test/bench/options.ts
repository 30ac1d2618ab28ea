import { readOptions as parseOptions, WrongUsage } from '../../infra/cli/command.ts';
import { parts } from './measurements.ts';

export type Part = keyof typeof parts;
const names = Object.keys(parts) as Part[];

export const USAGE = `Usage: npm run bench -- [--only PART,…] [--rounds N]

  --only    what to measure, of ${names.join(', ')}; by default all
  --rounds  how often each start and each block of calls is measured, in turn; by default 9
`;

/** @throws WrongUsage, or an error of `parseArgs`, if the command line is wrong. */
export function readOptions(args: readonly string[]) {
  const { values } = parseOptions({
    args,
    options: {
      rounds: { type: 'string', default: '9' },
      only: { type: 'string', default: names.join(',') },
    },
  });
  if (!/^[1-9]\d{0,3}$/.test(values.rounds)) {
    throw new WrongUsage('--rounds must be a whole number from 1 to 9999.');
  }
  return { rounds: Number(values.rounds), only: values.only.split(',').map(partNamed) };
}

function partNamed(text: string): Part {
  const part = names.find((name) => name === text);
  if (part === undefined) throw new WrongUsage(`--only takes ${names.join(', ')}; not "${text}".`);
  return part;
}
