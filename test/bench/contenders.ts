import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { operations } from '../../functions/operations/operations.ts';
import { root } from '../../infra/project.ts';
import { buildBundles, bundleFolder, bundling } from '../../infra/stack/bundle/bundles.ts';

/** The measured operations. Every reference implements them. */
export const measured = ['get-application', 'update-job-status'] as const;
export type MeasuredOperation = (typeof measured)[number];

/** An implementation whose bundles are measured, one for each operation. */
export interface Contender {
  label: string;
  bundle(operation: MeasuredOperation): string;
}

const inDist = (path: string) => resolve(root, 'dist/bench', path);

/** The functions as the stack deploys them. */
export const ours: Contender = {
  label: 'ours',
  bundle: (operation) => `${bundleFolder(operation)}/index.mjs`,
};

/** Returns the functions of another checkout of this project. `npm run build` must have been run there. */
export const beside = (checkout: string): Contender => ({
  label: 'ours, beside',
  bundle: (operation) => resolve(checkout, `dist/functions/${operation}/index.mjs`),
});

const defaults = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // CommonJS packages call `require`, which ES modules lack. esbuild's documentation suggests this banner.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions;

const reference = (name: string, label: string, options: BuildOptions) => ({
  label,
  bundle: (operation: MeasuredOperation) => inDist(`${name}/${operation}.mjs`),
  build(operation: MeasuredOperation) {
    // Like our bundles, a bare handler's bundle has only its own operation. The bundle of an app has both routes.
    const contents = `export { ${operations[operation].operationId} as handler } from './${name}.ts';`;
    const stdin = { contents, resolveDir: `${root}/test/bench/references` };
    return build({ ...options, stdin, outfile: inDist(`${name}/${operation}.mjs`) });
  },
});

/** The references to compare the functions with. Each is built from the file in `references/` that has its name. */
export const references = [
  /** A bare handler with client-dynamodb and jose, bundled with esbuild's defaults. */
  reference('sdk', 'SDK as users build it', defaults),
  /** The same handler, with the options of our bundles. It fetches the issuer's keys with `node:https`. */
  reference('sdk-bundled', 'SDK bundled as ours', bundling),
  /** An app built like Hono's template for AWS Lambda, with `esbuild --bundle --platform=node`. */
  reference('hono', 'Hono with zod', defaults),
  /** An app built as Powertools' documentation suggests: minified, from the packages' ES modules. */
  reference('powertools', 'Powertools with zod', {
    ...defaults,
    minify: true,
    mainFields: ['module', 'main'],
  }),
];

/** The file with the certificate that `stub.ts` creates and the measured processes trust. */
export const certificateFile = inDist('certificate.pem');
/** The program built from `driver.ts`, which runs a bundle. */
export const driver = inDist('driver.mjs');

/** Builds the functions, the references and the driver, so that no measured process compiles TypeScript. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  await build({ ...defaults, entryPoints: ['test/bench/driver.ts'], outfile: driver });
  await Promise.all(references.flatMap((each) => measured.map(each.build)));
}
