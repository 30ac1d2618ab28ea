import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { operations } from '../../functions/contract/operations.ts';
import { buildBundles, bundleFolder, bundling } from '../../infra/bundle/bundles.ts';
import { root } from '../../infra/project.ts';

/** The operations that are measured: those that every reference implements. */
export const measured = ['get-application', 'update-job-status'] as const;
export type MeasuredOperation = (typeof measured)[number];

/** A handler that is measured, by its bundles. */
export interface Contender {
  label: string;
  bundle(operation: MeasuredOperation): string;
}

const folder = fileURLToPath(root);
const inDist = (path: string) => resolve(folder, 'dist/bench', path);

/** The functions as they are deployed. */
export const ours: Contender = {
  label: 'ours',
  bundle: (operation) => `${bundleFolder(operation)}/index.mjs`,
};

/** The functions of another checkout of this project, in which `npm run build` was run. */
export const beside = (checkout: string): Contender => ({
  label: 'ours, beside',
  bundle: (operation) => resolve(checkout, `dist/functions/${operation}/index.mjs`),
});

const defaults = {
  absWorkingDir: folder,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Packages of CommonJS call `require`, which an ES module does not have: esbuild's documented remedy.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions;

const reference = (name: string, label: string, options: BuildOptions) => ({
  label,
  bundle: (operation: MeasuredOperation) => inDist(`${name}/${operation}.mjs`),
  build(operation: MeasuredOperation) {
    // A bare handler's bundle holds its own operation only, as ours do; an app's holds both routes.
    const contents = `export { ${operations[operation].operationId} as handler } from './${name}.ts';`;
    const stdin = { contents, resolveDir: `${folder}test/bench/references` };
    return build({ ...options, stdin, outfile: inDist(`${name}/${operation}.mjs`) });
  },
});

/** What ours is compared with, each built from the file of its name in `references/`. */
export const references = [
  /** A bare handler with client-dynamodb and jose, built with esbuild's defaults. */
  reference('sdk', 'SDK as users build it', defaults),
  /** The same, bundled as ours, with the issuer's keys fetched by `node:https`. */
  reference('sdk-bundled', 'SDK bundled as ours', bundling),
  /** As Hono's template for AWS Lambda: `esbuild --bundle --platform=node`. */
  reference('hono', 'Hono with zod', defaults),
  /** As the documentation of Powertools has it: minified, from the packages' ES modules. */
  reference('powertools', 'Powertools with zod', {
    ...defaults,
    minify: true,
    mainFields: ['module', 'main'],
  }),
];

/** The certificate to trust, which `stub.ts` makes. */
export const certificateFile = inDist('certificate.pem');
/** The built program that runs a bundle: `driver.ts`. */
export const driver = inDist('driver.mjs');

/** Builds ours, the references and the driver: what is measured must not compile TypeScript. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  await build({ ...defaults, entryPoints: ['test/bench/driver.ts'], outfile: driver });
  await Promise.all(references.flatMap((each) => measured.map(each.build)));
}
