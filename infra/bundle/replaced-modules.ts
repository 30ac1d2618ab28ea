import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';
import { errorClasses } from './error-classes.ts';

/** A file of a dependency that is not bundled, what stands in its place, and why. */
interface Replacement {
  /** Its path in `node_modules`. */
  file: string;
  /** The SHA-256 of the file that was read when its replacement was written. */
  sha256: string;
  contents: string;
}

/**
 * What the SDK has for every other place than Lambda. `functions/store/client.ts` gives all settings as
 * values, so none of this would run: it would only be read and compiled at every cold start.
 */
export const replacements: readonly Replacement[] = [
  {
    // Finds settings and credentials in files, by HTTP and by STS. The SDK itself replaces this file
    // for browsers.
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
    // Derives the endpoint from rules, of which the client's endpointProvider has no need.
    file: '@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver.js',
    sha256: 'e701630d92948e77704224bdd6bd9e6bc5e15752597fef399d93b9c8c206007d',
    contents: 'export const defaultEndpointResolver = undefined;',
  },
  {
    // Looks for an endpoint in files, where none is given.
    file: '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/adaptors/getEndpointFromConfig.js',
    sha256: '32fbb2eefc219a4d0b24d0e7cc0cb7c72a3390fa88a8c58716d0eef5c8471161',
    contents: 'export const getEndpointFromConfig = undefined;',
  },
  {
    // Asks DynamoDB for endpoints, which it does only where that is switched on.
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
    // The list of all regions, for the rules of endpoints.
    file: '@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js',
    sha256: '73350ad74cb8adabcc60df8caed34c76e8cdb93301377a9db60a6b2871a61b3f',
    contents: 'export const partitionsInfo = { partitions: [] };',
  },
  {
    // Hashes without node:crypto, where a runtime lacks it.
    file: '@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js',
    sha256: '54d26649ccb5c6f5d34f89bf22167db9f91eeab6c05af115f7b0dbf041081ec4',
    contents: 'export const Sha256Js = undefined;',
  },
  {
    // Looks in files whether clocks are to be corrected.
    file: '@aws-sdk/core/dist-es/submodules/httpAuthSchemes/aws_sdk/clock-skew-defaults.js',
    sha256: '498d38eab5b4a75cd04223a35fdd967244f90b35ca9c80cddadcaabb3f33961c',
    contents: 'export const DEFAULT_DISABLE_CLOCK_SKEW_CORRECTION = false;',
  },
  {
    // The other way to try again, for clients that share a quota.
    file: '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js',
    sha256: '826965148cb6b0f7aae779bcc88909a275b3551f139da9d848b8558cd4463c8e',
    contents: 'export const AdaptiveRetryStrategy = undefined;',
  },
  {
    // A class for each error, alike but for a few words: one function makes them all.
    file: '@aws-sdk/client-dynamodb/dist-es/models/errors.js',
    sha256: '73395c8f34b0a3f86afc4434e6519e61647bb3d90602e756fb1c17a5050403a7',
    contents: errorClasses,
  },
  {
    // Reads times in five forms, of which DynamoDB's answers have one, in Retry-After.
    file: '@smithy/core/dist-es/submodules/serde/date-utils.js',
    sha256: '9b64f13c90463b44c0183721802eb8e482f3207d12b4f397c92a9da9ed688590',
    contents: `
      export const parseRfc7231DateTime = (value) => {
        if (value === null || value === undefined) return undefined;
        const time = new Date(value);
        if (Number.isNaN(time.getTime())) throw new TypeError('Invalid RFC 7231 date-time value.');
        return time;
      };
      export const dateToUtcString = undefined;
      export const parseRfc3339DateTime = undefined;
      export const parseRfc3339DateTimeWithOffset = undefined;
      export const parseEpochTimestamp = undefined;`,
  },
];

const BUILTINS = new RegExp(
  `^(node:)?(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
);

/**
 * Takes Node.js's own modules from `process.getBuiltinModule`: an ES import of `node:http` reads every
 * property of it, and so loads modules that nobody uses, such as undici.
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

/** Puts the replacements in the place of their files. */
export const replacedModules: Plugin = {
  name: 'replaced-modules',
  setup(build) {
    for (const { file, contents } of replacements) {
      const filter = new RegExp(`/node_modules/${file.replaceAll('.', '\\.')}$`);
      build.onLoad({ filter }, ({ path }) => ({
        contents,
        resolveDir: path.slice(0, path.lastIndexOf('/')),
      }));
    }
  },
};
