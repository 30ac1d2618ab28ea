import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { bundleFolder } from '../../../infra/bundle/bundles.ts';

/** In bytes. A cold start reads and compiles every one of them. */
const CEILING = { minified: 235_000, zipped: 75_000 };

describe.each(operationNames)('the bundle of %s', (name) => {
  it('is not over its ceiling: find what came in, or raise the ceiling and say why', () => {
    const code = readFileSync(`${bundleFolder(name)}/index.mjs`);
    expect(code.length).toBeLessThanOrEqual(CEILING.minified);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(CEILING.zipped);
  });
});
