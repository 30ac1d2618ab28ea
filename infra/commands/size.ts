// npm run size: prints the size of each function's bundle, and fails where one is over its ceiling.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { operationNames } from '../../functions/contract/operations.ts';
import { buildBundles, bundleFolder } from '../build/bundles.ts';

/** In KB of 1000 bytes. A cold start reads and compiles every one of them. */
const CEILING = { minified: 200, zipped: 65 };

const kilobytes = (bytes: number) => Math.ceil(bytes / 1000);

await buildBundles();
for (const name of operationNames) {
  const code = readFileSync(join(bundleFolder(name), 'index.mjs'));
  const minified = kilobytes(code.length);
  const zipped = kilobytes(gzipSync(code, { level: 9 }).length);
  process.stdout.write(`${name}: ${minified} KB minified, ${zipped} KB zipped\n`);
  if (minified > CEILING.minified || zipped > CEILING.zipped) {
    process.stderr.write(
      `${name} is over ${CEILING.minified} KB minified or ${CEILING.zipped} KB zipped: find what ` +
        'came in, or raise the ceiling in infra/commands/size.ts and say why.\n',
    );
    process.exitCode = 1;
  }
}
