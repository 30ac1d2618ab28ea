import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { root } from '../project.ts';
import { builtins, replaceModules, replacements } from './replaced-modules.ts';
import { compileValidators } from './validators.ts';
import { writeChanged } from './write-changed.ts';

/** The folder of an operation's bundle: `index.mjs`, which exports `handler`. */
export function bundleFolder(operation: OperationName): string {
  return fileURLToPath(new URL(`dist/functions/${operation}`, root));
}

/**
 * Bundles the functions for Node.js 24: one minified module each, which holds only its own operation and
 * what it needs, the AWS SDK included.
 */
export async function buildBundles(): Promise<void> {
  await compileValidators();
  await Promise.all(operationNames.map(bundle));
}

/** The options of esbuild for a function. */
export const bundling = {
  absWorkingDir: fileURLToPath(root),
  bundle: true,
  // Debuggers show the names of the sources if the code is not minified (npm start -- --inspect).
  minify: process.env.BUNDLE_MINIFY !== 'false',
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Prefers the ES module of a package, which is half the size of its CommonJS.
  mainFields: ['module', 'main'],
  plugins: [builtins, replaceModules(replacements)],
  logLevel: 'warning',
} satisfies BuildOptions;

async function bundle(operation: OperationName): Promise<void> {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [`functions/${operation}.ts`],
    outfile: `${bundleFolder(operation)}/index.mjs`,
    // The bundle's last line names the map, for debuggers. Node.js does not look for it by default.
    sourcemap: 'linked',
    write: false,
  });
  await Promise.all(outputFiles.map(({ path, contents }) => writeChanged(path, contents)));
}
