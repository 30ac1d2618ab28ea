import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { bundleFolder } from '../../infra/bundle/bundles.ts';
import { root } from '../../infra/bundle/files.ts';

/**
 * The handlers that are measured, ours and the references that do the same work:
 * - `ours`: the service's functions, as they are deployed;
 * - `sdk`: a bare handler with client-dynamodb and jose, built with esbuild's plain defaults, but as
 *   an ES module, as ours are;
 * - `floor`: by hand, without SDK: node:https, an own signature, an own check of the token;
 * - `floor-fetch`: the same, but the issuer's keys come by `fetch`;
 * - `hono`: Hono with zod, over the code of `sdk`;
 * - `powertools`: the event handler of Powertools for AWS Lambda with zod, likewise.
 */
export const references = ['sdk', 'floor', 'floor-fetch', 'hono', 'powertools'] as const;
export type Reference = (typeof references)[number];
export const contenders = ['ours', ...references] as const;
export type Contender = (typeof contenders)[number];
/** The frameworks among the references. */
export const peers: readonly Reference[] = ['hono', 'powertools'];

/** Packages of CommonJS call `require`, which an ES module has not: esbuild's documented remedy. */
const banner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

/** How each reference is built: the folder of its sources, and options of esbuild. */
const recipes: Record<Reference, { folder: string; options: BuildOptions }> = {
  sdk: { folder: 'sdk', options: { banner } },
  floor: { folder: 'floor', options: { minify: true, define: { KEYS_BY_FETCH: 'false' } } },
  'floor-fetch': { folder: 'floor', options: { minify: true, define: { KEYS_BY_FETCH: 'true' } } },
  // As Hono's template for AWS Lambda: `esbuild --bundle --platform=node`.
  hono: { folder: 'hono', options: { banner } },
  // As the documentation of Powertools has it: minified, of the packages' ES modules.
  powertools: {
    folder: 'powertools',
    options: { banner, minify: true, mainFields: ['module', 'main'] },
  },
};

const folder = fileURLToPath(root);
const built = (path: string) => `${folder}dist/bench/${path}`;

/** The bundle of a contender's operation. */
export function bundleOf(contender: Contender, operation: OperationName): string {
  return contender === 'ours'
    ? `${bundleFolder(operation)}/index.mjs`
    : built(`${contender}/${operation}/index.mjs`);
}

/** The built program that runs a bundle: `test/bench/drivers/<name>.ts`. */
export const driver = (name: 'cold' | 'warm') => built(`drivers/${name}.mjs`);

/** Builds the references, and what calls handlers. */
export async function buildReferences(): Promise<void> {
  const builds = references.flatMap((name) =>
    operationNames.map((operation) => buildReference(name, operation)),
  );
  await Promise.all([...builds, buildDriver('cold'), buildDriver('warm')]);
}

const esm = { bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' } as const;

async function buildReference(reference: Reference, operation: OperationName): Promise<void> {
  const { folder: sources, options } = recipes[reference];
  await build({
    ...esm,
    absWorkingDir: folder,
    entryPoints: [`test/bench/references/${sources}/${operation}.ts`],
    outfile: bundleOf(reference, operation),
    ...options,
  });
}

/** Built too, so that the process that is measured has not compiled TypeScript before. */
async function buildDriver(name: 'cold' | 'warm'): Promise<void> {
  await build({
    ...esm,
    absWorkingDir: folder,
    entryPoints: [`test/bench/drivers/${name}.ts`],
    outfile: driver(name),
  });
}
