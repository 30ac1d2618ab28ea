import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { operations } from '../../functions/operations/operations.ts';
import { root } from '../../infra/project.ts';
import { buildBundles, bundleFolder, bundling } from '../../infra/stack/bundle/bundles.ts';

export const measured = ['get-application', 'update-job-status'] as const;
export type MeasuredOperation = (typeof measured)[number];

export interface Contender {
  label: string;
  bundle(operation: MeasuredOperation): string;
}

const inDist = (path: string) => resolve(root, 'dist/bench', path);

export const ours: Contender = {
  label: 'ours',
  bundle: (operation) => `${bundleFolder(operation)}/index.mjs`,
};

/** The bundles of another checkout, in which `npm run build` must have run before. */
export const beside = (checkout: string): Contender => ({
  label: 'ours, beside',
  bundle: (operation) => resolve(checkout, `dist/functions/${operation}/index.mjs`),
});

const defaults = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // CommonJS packages call `require`, which ES modules lack.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions;

const reference = (name: string, label: string, options: BuildOptions) => ({
  label,
  bundle: (operation: MeasuredOperation) => inDist(`${name}/${operation}.mjs`),
  build(operation: MeasuredOperation) {
    // A bare handler is exported per operation, so tree shaking drops the operation that is not measured, as from our
    // bundles. An app (Hono's, Powertools') keeps the routes of both operations.
    const contents = `export { ${operations[operation].operationId} as handler } from './${name}.ts';`;
    const stdin = { contents, resolveDir: `${root}/test/bench/references` };
    return build({ ...options, stdin, outfile: inDist(`${name}/${operation}.mjs`) });
  },
});

export const references = [
  reference('sdk', 'SDK as users build it', defaults),
  reference('sdk-bundled', 'SDK bundled as ours', bundling),
  /** Built as in Hono's template for AWS Lambda: `esbuild --bundle --platform=node`. */
  reference('hono', 'Hono with zod', defaults),
  /** Minified and from the packages' ES modules, as Powertools' documentation suggests. */
  reference('powertools', 'Powertools with zod', {
    ...defaults,
    minify: true,
    mainFields: ['module', 'main'],
  }),
];

export const certificateFile = inDist('certificate.pem');
export const driver = inDist('driver.mjs');

/** Runs before the measurements, so that no measured process compiles TypeScript. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  await build({ ...defaults, entryPoints: ['test/bench/driver.ts'], outfile: driver });
  await Promise.all(references.flatMap((each) => measured.map(each.build)));
}
