// npm run size: prints the size of each function's bundle, and fails where one is over its ceiling.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { buildBundles, bundleFolder } from '../build/bundles.ts';
import { runCommand } from './command.ts';

/** In KB of 1000 bytes. A cold start reads and compiles every one of them. */
const CEILING = { minified: 200, zipped: 65 };

const USAGE = `Usage: npm run size

Builds the functions and prints the size of each bundle. It fails where one is over
${CEILING.minified} KB minified or ${CEILING.zipped} KB zipped.
`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  await buildBundles();
  return operationNames.map(fits).includes(false) ? 1 : 0;
});

/** Prints the size of a function's bundle, and tells whether it is below the ceiling. */
function fits(name: OperationName): boolean {
  const code = readFileSync(join(bundleFolder(name), 'index.mjs'));
  const minified = kilobytes(code.length);
  const zipped = kilobytes(gzipSync(code, { level: 9 }).length);
  process.stdout.write(`${name}: ${minified} KB minified, ${zipped} KB zipped\n`);
  if (minified <= CEILING.minified && zipped <= CEILING.zipped) return true;
  process.stderr.write(
    `${name} is over ${CEILING.minified} KB minified or ${CEILING.zipped} KB zipped: find what ` +
      'came in, or raise the ceiling in infra/commands/size.ts and say why.\n',
  );
  return false;
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000);
}
