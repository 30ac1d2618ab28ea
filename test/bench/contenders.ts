import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { type OperationName, operations } from '../../functions/contract/operations.ts';
import { buildBundles, bundleFolder, bundling } from '../../infra/bundle/bundles.ts';
import { root } from '../../infra/project.ts';

/** The operations that are measured: those that every reference implements. */
export const measured = [
  'get-application',
  'update-job-status',
] as const satisfies readonly OperationName[];
export type MeasuredOperation = (typeof measured)[number];

/** Packages of CommonJS call `require`, which an ES module does not have: esbuild's documented remedy. */
const banner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};
const folder = fileURLToPath(root);
const defaults = {
  absWorkingDir: folder,
  bundle: true,
  platform: 'node',
  format: 'esm',
  banner,
  logLevel: 'warning',
} satisfies BuildOptions;

/** What ours is compared with, each built from the file of its name in `references/`. */
export const references = {
  /** A bare handler with client-dynamodb and jose, built with esbuild's defaults. */
  sdk: { label: 'SDK as users build it', options: defaults },
  /** The same, bundled as ours, with the issuer's keys fetched by `node:https`. */
  'sdk-bundled': { label: 'SDK bundled as ours', options: bundling },
  /** Requests to DynamoDB signed and sent by hand. */
  'no-sdk': { label: 'without SDK', options: bundling },
  /** As Hono's template for AWS Lambda: `esbuild --bundle --platform=node`. */
  hono: { label: 'Hono with zod', options: defaults },
  /** As the documentation of Powertools has it: minified, from the packages' ES modules. */
  powertools: {
    label: 'Powertools with zod',
    options: { ...defaults, minify: true, mainFields: ['module', 'main'] },
  },
} satisfies Record<string, { label: string; options: BuildOptions }>;

export type Reference = keyof typeof references;
export const referenceNames = Object.keys(references) as Reference[];
/** The handlers that are measured; `ours` are the service's functions as they are deployed. */
export type Contender = 'ours' | Reference;
export const contenders: readonly Contender[] = ['ours', ...referenceNames];

const built = (path: string) => `${folder}dist/bench/${path}`;

/** The built program that runs a bundle: `driver.ts`. */
export const driver = built('driver.mjs');

/** The bundle of a contender's operation. */
export const bundleOf = (contender: Contender, operation: MeasuredOperation) =>
  contender === 'ours'
    ? `${bundleFolder(operation)}/index.mjs`
    : built(`${contender}/${operation}/index.mjs`);

/** Builds the contenders, and the driver: what is measured must not compile TypeScript. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  const builds = referenceNames.flatMap((name) =>
    measured.map((operation) => {
      // A bare handler's bundle holds its own operation only, as ours do; an app's holds both routes.
      const contents = `export { ${operations[operation].operationId} as handler } from './${name}.ts';`;
      return build({
        ...references[name].options,
        stdin: { contents, resolveDir: `${folder}test/bench/references` },
        outfile: bundleOf(name, operation),
      });
    }),
  );
  const entryPoints = ['test/bench/driver.ts'];
  await Promise.all([...builds, build({ ...defaults, entryPoints, outfile: driver })]);
}
