import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { bundleFolder, bundling } from '../../../infra/build/bundles.ts';
import { root } from '../../../infra/build/files.ts';
import { replacements } from '../../../infra/build/replaced-modules.ts';

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

  it('make errors like those of the SDK', async () => {
    const { outputFiles } = await build({
      ...bundling,
      stdin: { contents: `export * from '@aws-sdk/client-dynamodb';`, resolveDir: '.' },
      write: false,
    });
    const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
    const bundled = await import(`data:text/javascript;base64,${code}`);
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
