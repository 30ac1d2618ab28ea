import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { operations } from '../../functions/operations/operations.ts';
import { root } from '../../infra/project.ts';
import { buildBundles, bundleFolder, bundling } from '../../infra/stack/bundle/bundles.ts';

export const measured = ['get-application', 'update-job-status'] as const;
export type MeasuredOperation = (typeof measured)[number];

export interface Contender {
  label: string;
  /** Path of a module that exports `handler`. */
  bundle(operation: MeasuredOperation): string;
}

const inDist = (path: string) => resolve(root, 'dist/bench', path);

/** The bundles that the stack deploys. */
export const ours: Contender = {
  label: 'ours',
  bundle: (operation) => `${bundleFolder(operation)}/index.mjs`,
};

/** Needs `npm run build` in the other checkout. */
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
    // Tree shaking leaves a bare handler only its own operation, as in our bundles; an app keeps both routes.
    const contents = `export { ${operations[operation].operationId} as handler } from './${name}.ts';`;
    const stdin = { contents, resolveDir: `${root}/test/bench/references` };
    return build({ ...options, stdin, outfile: inDist(`${name}/${operation}.mjs`) });
  },
});

export const references = [
  /** Bare handlers with client-dynamodb and jose, built with esbuild's defaults. */
  reference('sdk', 'SDK as users build it', defaults),
  /** The same handlers with our options, and `node:https` for the issuer's keys. */
  reference('sdk-bundled', 'SDK bundled as ours', bundling),
  /** As Hono's template for AWS Lambda builds an app: `esbuild --bundle --platform=node`. */
  reference('hono', 'Hono with zod', defaults),
  /** As Powertools' documentation suggests: minified, from the packages' ES modules. */
  reference('powertools', 'Powertools with zod', {
    ...defaults,
    minify: true,
    mainFields: ['module', 'main'],
  }),
];

/** Written by `stub.ts`; the measured processes trust it. */
export const certificateFile = inDist('certificate.pem');
export const driver = inDist('driver.mjs');

/** Builds everything beforehand, so that no measured process compiles TypeScript. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  await build({ ...defaults, entryPoints: ['test/bench/driver.ts'], outfile: driver });
  await Promise.all(references.flatMap((each) => measured.map(each.build)));
}
