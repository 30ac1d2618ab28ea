import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { bundleFolder } from '../../../infra/bundle/bundles.ts';

/**
 * In bytes, because a cold start reads and compiles them all. If a bundle exceeds its ceiling, find out
 * what was added before you raise the ceiling.
 */
const CEILING = { minified: 230_000, zipped: 75_000 };

describe.each(operationNames)('the bundle of %s', (name) => {
  it('stays below its ceiling', () => {
    const code = readFileSync(`${bundleFolder(name)}/index.mjs`);
    expect(code.length).toBeLessThanOrEqual(CEILING.minified);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(CEILING.zipped);
  });
});
