import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { operations } from '../../functions/operations/operations.ts';
import { root } from '../../infra/project.ts';
import { buildBundles, bundleFolder } from '../../infra/stack/bundle/bundles.ts';

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

/** Another checkout's bundles. Run `npm run build` there first. */
export const beside = (checkout: string): Contender => ({
  label: 'ours, beside',
  bundle: (operation) => resolve(checkout, `dist/functions/${operation}/index.mjs`),
});

/** What a user would write with the SDK and jose, bundled with esbuild's defaults. */
export const reference: Contender = {
  label: 'reference',
  bundle: (operation) => inDist(`reference/${operation}.mjs`),
};

export const certificateFile = inDist('certificate.pem');
export const driver = inDist('driver.mjs');

const options = {
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

function buildReference(operation: MeasuredOperation) {
  // One export per operation, so that tree shaking drops the other, as in our bundles.
  const contents = `export { ${operations[operation].operationId} as handler } from './handlers.ts';`;
  const stdin = { contents, resolveDir: `${root}/test/bench/reference` };
  return build({ ...options, stdin, outfile: reference.bundle(operation) });
}

/** Runs before the measurements, so that no measured process compiles TypeScript. */
export async function buildContenders(): Promise<void> {
  await buildBundles();
  await build({ ...options, entryPoints: ['test/bench/driver.ts'], outfile: driver });
  await Promise.all(measured.map(buildReference));
}
