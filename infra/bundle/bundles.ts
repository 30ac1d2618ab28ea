import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { root, writeChanged } from './files.ts';
import { builtins, replacedModules } from './replaced-modules.ts';
import { compileValidators } from './validators.ts';

/** The folder of an operation's built function: `index.mjs`, which exports `handler`. */
export function bundleFolder(operation: OperationName): string {
  return fileURLToPath(new URL(`dist/functions/${operation}`, root));
}

/**
 * Builds the functions for Node.js 24: one minified module each, which holds its own operation and
 * what that needs, the AWS SDK included.
 */
export async function buildBundles(): Promise<void> {
  await compileValidators();
  await Promise.all(operationNames.map(bundle));
}

/** How a function is bundled. */
export const bundling = {
  absWorkingDir: fileURLToPath(root),
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The ES module of a package, where it has one: half the size of its CommonJS.
  mainFields: ['module', 'main'],
  plugins: [builtins, replacedModules],
  logLevel: 'warning',
} satisfies BuildOptions;

async function bundle(operation: OperationName): Promise<void> {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [`functions/${operation}.ts`],
    outfile: `${bundleFolder(operation)}/index.mjs`,
    sourcemap: 'external',
    write: false,
  });
  await Promise.all(outputFiles.map(({ path, contents }) => writeChanged(path, contents)));
}
