import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type OperationName, operationNames } from '../../../functions/operations/operations.ts';
import { root } from '../../project.ts';
import { builtins, replaceModules, replacements } from './replaced-modules.ts';
import { compileValidators } from './validators.ts';
import { writeChanged } from './write-changed.ts';

export function bundleFolder(operation: OperationName): string {
  return join(root, 'dist/functions', operation);
}

/** Bundles include the AWS SDK, so that Lambda's own version is not used. */
export async function buildBundles(): Promise<void> {
  await compileValidators();
  await Promise.all(operationNames.map(bundle));
}

export const bundling = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Prefers packages' ES modules: with their CommonJS, a bundle is twice as large.
  mainFields: ['module', 'main'],
  plugins: [builtins, replaceModules(replacements)],
  logLevel: 'warning',
} satisfies BuildOptions;

async function bundle(operation: OperationName): Promise<void> {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [`functions/${operation}.ts`],
    outfile: `${bundleFolder(operation)}/index.mjs`,
    sourcemap: 'linked',
    write: false,
  });
  await Promise.all(outputFiles.map(({ path, contents }) => writeChanged(path, contents)));
}
