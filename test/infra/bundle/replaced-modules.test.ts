import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import { parseRfc7231DateTime } from '@smithy/core/serde';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { bundleFolder, bundling } from '../../../infra/bundle/bundles.ts';
import { root } from '../../../infra/bundle/files.ts';
import { replacements } from '../../../infra/bundle/replaced-modules.ts';

/** What a function has loaded of Node.js once it has started: the names of its modules. */
function loadedBy(bundle: string): string[] {
  const program = `
    await import(${JSON.stringify(bundle)});
    console.log(JSON.stringify(process.moduleLoadList));
    process.exit();`;
  const variables = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'https://127.0.0.1:1',
    TABLE_NAME: 'recruitment',
    ISSUER: 'https://127.0.0.1:1',
    AUDIENCE: 'recruitment-api',
  };
  const args = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, args, { env: variables, encoding: 'utf8' }));
}

/** What a package exports where it is bundled as the functions are. */
async function exportsOf(name: string) {
  const contents = `export * from '${name}';`;
  const stdin = { contents, resolveDir: fileURLToPath(root) };
  const { outputFiles } = await build({ ...bundling, stdin, write: false });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

describe('the bundles', () => {
  it.each(replacements)(
    'replace $file, which is what it was: if not, read it, and its replacement, again',
    ({ file, sha256 }) => {
      expect(hash('sha256', readFileSync(new URL(`node_modules/${file}`, root)))).toBe(sha256);
    },
  );

  it.each(operationNames)('of %s hold each replacement in the place of its file', async (name) => {
    const { metafile } = await build({
      ...bundling,
      entryPoints: [`functions/${name}.ts`],
      write: false,
      outdir: 'dist',
      metafile: true,
    });
    const sizes = Object.entries(metafile.inputs).map(([path, { bytes }]) => ({ path, bytes }));
    for (const { file, contents } of replacements) {
      const bytes = Buffer.byteLength(contents);
      expect(sizes).toContainEqual({ path: `node_modules/${file}`, bytes });
    }
  });

  it('read the time of Retry-After as the SDK does', async () => {
    const bundled = await exportsOf('@smithy/core/serde');
    for (const text of [
      'Sat, 21 Nov 2026 18:00:00 GMT',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      undefined,
    ]) {
      expect(bundled.parseRfc7231DateTime(text)).toEqual(parseRfc7231DateTime(text));
    }
    expect(() => bundled.parseRfc7231DateTime('soon')).toThrow(TypeError);
    expect(() => parseRfc7231DateTime('soon')).toThrow(TypeError);
  });

  it('make errors like those of the SDK', async () => {
    const bundled = await exportsOf('@aws-sdk/client-dynamodb');
    const classes = Object.entries(dynamodb).filter(
      ([, value]) => Object.getPrototypeOf(value) === dynamodb.DynamoDBServiceException,
    );
    expect(classes).toHaveLength(35);
    const factsOf = (error: object) => {
      const { name, $fault, $retryable, message } = Object(error);
      return { name, $fault, $retryable, message };
    };
    for (const [name, original] of classes) {
      const options = { message: 'Invented.', $metadata: {} };
      const error = new bundled[name](options);
      expect(error).toBeInstanceOf(bundled[name]);
      expect(error).toBeInstanceOf(bundled.DynamoDBServiceException);
      expect(factsOf(error)).toEqual(factsOf(Reflect.construct(Object(original), [options])));
    }
  });

  it.each(operationNames)('of %s hold nothing of what is replaced', (name) => {
    const code = readFileSync(`${bundleFolder(name)}/index.mjs`, 'utf8');
    const found = (words: readonly string[]) => words.filter((word) => code.includes(word));
    expect(found(['AWS_ACCESS_KEY_ID'])).toHaveLength(1);
    expect(found(['AWS_PROFILE', 'AWS_CONTAINER_CREDENTIALS', 'AssumeRole', 'dnsSuffix'])).toEqual(
      [],
    );
  });

  it.each(operationNames)('of %s start without what an ES import of a module loads', (name) => {
    const loaded = loadedBy(`${bundleFolder(name)}/index.mjs`);
    expect(loaded.includes('NativeModule https')).toBe(true);
    expect(loaded.filter((module) => /undici|webstreams/.test(module))).toEqual([]);
  });
});
