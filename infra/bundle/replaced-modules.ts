import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** A module of a dependency, and what is bundled in its place. */
export interface Replacement {
  /** Its path in `node_modules`. */
  file: string;
  /** The SHA-256 of the module for which the replacement was written. */
  sha256: string;
  contents: string;
}

/**
 * Modules of the SDK that serve other places than Lambda. They would never run, because
 * `functions/store/client.ts` gives all settings as values, but every cold start would read and compile
 * them.
 */
export const replacements: readonly Replacement[] = [
  {
    // Reads settings and credentials from files, over HTTP and from STS. The SDK itself replaces this
    // module for browsers.
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
    // Derives the endpoint from rules; the client has an endpointProvider of its own.
    file: '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js',
    sha256: 'e701630d92948e77704224bdd6bd9e6bc5e15752597fef399d93b9c8c206007d',
    contents: 'export const defaultEndpointResolver = undefined;',
  },
  {
    // Reads the endpoint from files if the client has none.
    file: '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/adaptors/getEndpointFromConfig.js',
    sha256: '32fbb2eefc219a4d0b24d0e7cc0cb7c72a3390fa88a8c58716d0eef5c8471161',
    contents: 'export const getEndpointFromConfig = undefined;',
  },
  {
    // Asks DynamoDB for endpoints, a feature that is off unless a client switches it on.
    file: '@aws-sdk/middleware-endpoint-discovery/dist-es/resolveEndpointDiscoveryConfig.js',
    sha256: 'ef7764088092f26f12444667996125505bf3636cc4c5122c8c9e63eee24b467e',
    contents: 'export const resolveEndpointDiscoveryConfig = (config) => config;',
  },
  {
    // DynamoDB's operations have no event streams.
    file: '@smithy/core/dist-es/submodules/event-streams/index.js',
    sha256: '261c2b96dec39e36f39a15e0ba77b854bece91ded16073c53f8a242998c3821c',
    contents: 'export const EventStreamSerde = undefined;',
  },
  {
    // Reads from files whether to correct the clock.
    file: '@aws-sdk/core/dist-es/submodules/httpAuthSchemes/aws_sdk/clock-skew-defaults.js',
    sha256: '498d38eab5b4a75cd04223a35fdd967244f90b35ca9c80cddadcaabb3f33961c',
    contents: 'export const DEFAULT_DISABLE_CLOCK_SKEW_CORRECTION = false;',
  },
];

const BUILTINS = new RegExp(
  `^(node:)?(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
);

/**
 * Loads Node.js's own modules with `process.getBuiltinModule`: an ES import of `node:http` reads every
 * property of it, and so loads modules that nothing uses, such as undici.
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

/**
 * Bundles the replacements in place of their modules. The build fails if a module is not the one for
 * which its replacement was written, and if it uses no such module, because that has moved or is no
 * longer needed.
 */
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
          'infra/bundle/replaced-modules.ts if necessary, and set the new hash there.';
        return { errors: [{ text }] };
      });
    }
    build.onEnd(() => ({
      errors: Array.from(unused, (file) => ({
        text:
          `The bundle does not use ${file}. Correct its path in infra/bundle/replaced-modules.ts, or ` +
          'delete its replacement.',
      })),
    }));
  },
});
