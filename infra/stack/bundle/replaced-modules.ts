import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

export interface Replacement {
  file: string;
  /** Hash of the original file for which the replacement was written. */
  sha256: string;
  contents: string;
}

/**
 * SDK modules that a cold start would read and compile for nothing: `functions/store/client.ts` gives the client every
 * setting as a value. Delete a replacement that saves less than 2 % of a cold start's CPU time (`npm run bench --
 * --beside FOLDER`, where FOLDER is a checkout without it). Without the last three, a cold start took 1.13 times as
 * long (November 2026).
 */
export const replacements: readonly Replacement[] = [
  {
    // Reads settings and credentials from files, over HTTP and from STS. In browsers, the SDK itself replaces it.
    file: '@aws-sdk/client-dynamodb/dist-es/runtimeConfig.js',
    sha256: 'b861a5236f53e7710074836891c218b6f3b140716d6c4ca4661c60d49381b9de',
    contents: `
      import { calculateBodyLength } from '@smithy/core/serde';
      import { getRuntimeConfig as getSharedRuntimeConfig } from './runtimeConfig.shared';
      export const getRuntimeConfig = (config) => ({
        ...getSharedRuntimeConfig(config),
        bodyLengthChecker: calculateBodyLength,
        runtime: 'node',
        ...config,
      });`,
  },
  {
    // Would read the endpoint from files.
    file: '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/adaptors/getEndpointFromConfig.js',
    sha256: '32fbb2eefc219a4d0b24d0e7cc0cb7c72a3390fa88a8c58716d0eef5c8471161',
    contents: 'export const getEndpointFromConfig = undefined;',
  },
  {
    // No DynamoDB action has event streams.
    file: '@smithy/core/dist-es/submodules/event-streams/index.js',
    sha256: '261c2b96dec39e36f39a15e0ba77b854bece91ded16073c53f8a242998c3821c',
    contents: 'export const EventStreamSerde = undefined;',
  },
  {
    // Reads the setting for clock-skew correction from files.
    file: '@aws-sdk/core/dist-es/submodules/httpAuthSchemes/aws_sdk/clock-skew-defaults.js',
    sha256: '498d38eab5b4a75cd04223a35fdd967244f90b35ca9c80cddadcaabb3f33961c',
    contents: 'export const DEFAULT_DISABLE_CLOCK_SKEW_CORRECTION = false;',
  },
];

const BUILTINS = new RegExp(
  `^(node:)?(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
);

/**
 * An ES import of `node:http` reads every property of the module, and so loads modules that nothing uses, such as
 * undici. `process.getBuiltinModule` does not.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: BUILTINS }, ({ path }) => ({
      path: path.replace(/^(node:)?/, 'node:'),
      namespace: 'builtin',
    }));
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/** Fails the build if a module has changed since its replacement was written, or is not in the bundle. */
export const replaceModules = (list: readonly Replacement[]): Plugin => ({
  name: 'replace-modules',
  setup(build) {
    const unused = new Set(list.map(({ file }) => file));
    for (const { file, sha256, contents } of list) {
      const path = file.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]');
      const filter = new RegExp(`[\\\\/]node_modules[\\\\/]${path}$`);
      build.onLoad({ filter }, async ({ path }) => {
        unused.delete(file);
        const actual = hash('sha256', await readFile(path));
        if (actual === sha256) return { contents, resolveDir: dirname(path) };
        const text =
          `${file} has changed: its SHA-256 is ${actual}. Read it, adapt its replacement in ` +
          'infra/stack/bundle/replaced-modules.ts if necessary, and set the new hash there.';
        return { errors: [{ text }] };
      });
    }
    build.onEnd(() => ({
      errors: Array.from(unused, (file) => ({
        text:
          `The bundle does not use ${file}. Correct its path in infra/stack/bundle/replaced-modules.ts, or ` +
          'delete its replacement.',
      })),
    }));
  },
});
