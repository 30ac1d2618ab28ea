import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../../../functions/operations/operations.ts';
import { bundleFolder, bundling } from '../../../../infra/stack/bundle/bundles.ts';
import {
  builtins,
  type Replacement,
  replaceModules,
  replacements,
} from '../../../../infra/stack/bundle/replaced-modules.ts';
import { validRequest } from '../../../support/contract.ts';
import { contextOf, eventOf } from '../../../support/invoke.ts';
import { applicationItem, jobItem } from '../../../support/items.ts';
import { startService, variablesOf } from '../../../support/service.ts';

const [first] = replacements as [Replacement];

/** In bytes. A cold start reads and compiles the whole bundle: before you raise a ceiling, find out what was added. */
const CEILING = { minified: 253_000, zipped: 81_000 };

const bundleWith = (list: readonly Replacement[]) =>
  build({
    ...bundling,
    plugins: [builtins, replaceModules(list)],
    entryPoints: ['functions/get-application.ts'],
    outdir: 'dist',
    write: false,
    logLevel: 'silent',
  } satisfies BuildOptions);

describe('the build', () => {
  it('fails if a module has changed since its replacement was written', async () => {
    const changed = { ...first, sha256: '0'.repeat(64) };
    await expect(bundleWith([changed])).rejects.toThrow(`${first.file} has changed`);
  });

  it('fails if it does not use a replaced module, which has moved', async () => {
    const moved = { ...first, file: first.file.replace('dist-es', 'dist') };
    await expect(bundleWith([moved])).rejects.toThrow(`The bundle does not use ${moved.file}`);
  });
});

describe.each(operationNames)('the bundle of %s', async (name) => {
  const service = await startService();
  const bundle = `${bundleFolder(name)}/index.mjs`;

  it('stays below its ceiling', () => {
    const code = readFileSync(bundle);
    expect(code.length).toBeLessThanOrEqual(CEILING.minified);
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(CEILING.zipped);
  });

  it('holds the code of its own operation alone', () => {
    const { sources } = JSON.parse(readFileSync(`${bundle}.map`, 'utf8'));
    const entries = sources.filter((source: string) => /functions\/[\w-]+\.ts$/.test(source));
    const stores = sources.filter((source: string) =>
      /store\/(?!client|items|keys|presign|retries|transport)[\w-]+\.ts$/.test(source),
    );
    expect(entries).toEqual([expect.stringContaining(`/${name}.ts`)]);
    expect(stores).toHaveLength(1);
  });

  it('serves a first request without loading undici, which an ES import of node:http does', async () => {
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
    const { log, status, loaded } = await firstRequest(
      name,
      bundle,
      await service.issuer.mint(),
      variablesOf(service, {}),
    );
    expect(status).toBe(operations[name].response.status);
    expect(log).toMatchObject([{ outcome: 'ok', cold_start: true }]);
    expect(loaded).toContain('NativeModule https');
    expect(loaded.filter((module) => /undici|webstreams/.test(module))).toEqual([]);
  });
});

/** Sends the request in a new process. Also returns that process's log and the Node.js modules that it loaded. */
async function firstRequest(
  name: OperationName,
  bundle: string,
  token: string,
  variables: Readonly<Record<string, string>>,
) {
  const event = eventOf(operations[name], {
    ...validRequest(operations[name]),
    token,
  });
  const program = `
    const { handler } = await import(${JSON.stringify(bundle)});
    const context = { ...${JSON.stringify(contextOf({}))}, getRemainingTimeInMillis: () => 60_000 };
    const { statusCode: status } = await handler(${JSON.stringify(event)}, context);
    console.log(JSON.stringify({ status, loaded: process.moduleLoadList }));
    process.exit();`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...variables },
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const result: { status: number; loaded: string[] } = lines.pop();
  return { ...result, log: lines };
}
