// npm run build: compiles the validators and builds the functions into dist/.
import { parseArgs } from 'node:util';
import { buildBundles } from '../build/bundles.ts';
import { runCommand } from './command.ts';

const USAGE = `Usage: npm run build

Compiles the validators and builds the functions into dist/.
`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) process.stdout.write(USAGE);
  else await buildBundles();
  return undefined;
});
