import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { buildBundles, bundleFolder } from '../../infra/build/bundles.ts';
import { root } from '../../infra/build/files.ts';

/**
 * The handlers that are measured, ours and the references that do the same work:
 * - `ours`: the service's functions, as they are deployed;
 * - `sdk`: a bare handler with client-dynamodb and jose, built with esbuild's plain defaults;
 * - `floor`: by hand, without SDK: node:https, an own signature, an own check of the token;
 * - `floor-fetch`: the same, but the issuer's keys come by `fetch`.
 */
export const contenders = ['ours', 'sdk', 'floor', 'floor-fetch'] as const;
export type Contender = (typeof contenders)[number];
export type Reference = Exclude<Contender, 'ours'>;

/** How each reference is built: the folder of its sources, and options of esbuild. */
const references: Record<Reference, { folder: string; options: BuildOptions }> = {
  sdk: { folder: 'sdk', options: {} },
  floor: { folder: 'floor', options: { minify: true, define: { KEYS_BY_FETCH: 'false' } } },
  'floor-fetch': { folder: 'floor', options: { minify: true, define: { KEYS_BY_FETCH: 'true' } } },
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

/** Builds all handlers that are measured, and what measures them. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  const built = contenders.flatMap((name) =>
    name === 'ours' ? [] : operationNames.map((operation) => buildReference(name, operation)),
  );
  await Promise.all([...built, buildDriver('cold'), buildDriver('warm')]);
}

const esm = { bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' } as const;

/** Packages of CommonJS call `require`, which an ES module has not: esbuild's documented remedy. */
const banner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

async function buildReference(reference: Reference, operation: OperationName): Promise<void> {
  const { folder: sources, options } = references[reference];
  await build({
    ...esm,
    banner,
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
