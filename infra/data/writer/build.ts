import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build, type Metafile, type Plugin } from 'esbuild';
import manifest from '../../../package.json' with { type: 'json' };
import { recordSchemas, recordTypeOf } from '../records/record-schema.ts';
import { recordAjvOptions } from '../records/validators.ts';

// Releases tried with hanging and throttled requests: 3.1000.0, 3.1100.0 and 3.1169.0, also with different releases for
// client and writer. With 3.600.0, a write ended only after eleven seconds instead of five.
const peers = { '@aws-sdk/client-dynamodb': '^3.1000.0' };

/** Compiles the validators ahead of time, so that the package does not load Ajv. */
const compiledValidators: Plugin = {
  name: 'compiled-validators',
  setup({ onLoad }) {
    onLoad({ filter: /infra\/data\/records\/validators\.ts$/ }, () => ({
      contents: validatorCode(),
    }));
  },
};

function validatorCode(): string {
  const exported = Object.keys(recordSchemas).map((kind) => [`is${recordTypeOf(kind)}`, kind]);
  const schemas = Object.entries(recordSchemas).map(([$id, schema]) => ({ $id, ...schema }));
  const code = { source: true, esm: true, lines: true, formats: _`recordFormats` };
  const ajv = new Ajv({ ...recordAjvOptions, schemas, code });
  return `import { recordFormats } from './storable.ts';\n${standalone.default(ajv, Object.fromEntries(exported))}`;
}

/** For `index.d.ts`, which imports only the AWS SDK's types. */
function packageDeclarations(): string {
  const sources = ['../records/published-types.ts', './interface.ts', '../records/record-types.ts']
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    .join('\n');
  const own = /^(\/\/ .*|import type [^;]* from '\..*';)\n/gm;
  return `${sources.replace(own, '')}
/** The message names members and the rules that they break, but no values. */
export declare class InvalidRecord extends Error {
  /** The first five; the message says how many more there are. */
  readonly faults: readonly Fault[];
}

/** @throws TypeError that names the invalid settings. */
export declare function recordWriter(settings: WriterSettings): RecordWriter;
`;
}

export async function buildPackage(folder: string): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
    entryPoints: ['infra/data/writer/record-writer.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: Object.keys(peers),
    plugins: [compiledValidators],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const { version, license } = manifest;
  const files = {
    'index.js': outputFiles[0]?.contents ?? '',
    'index.d.ts': packageDeclarations(),
    'package.json': `${JSON.stringify(
      {
        name: 'recruitment-writer',
        version,
        description: 'Writes live records of the recruitment service.',
        license,
        type: 'module',
        exports: { '.': { types: './index.d.ts', default: './index.js' } },
        types: './index.d.ts',
        engines: { node: '>=20' },
        peerDependencies: peers,
      },
      null,
      2,
    )}\n`,
  };
  await mkdir(folder, { recursive: true });
  await copyFile(new URL('../../../LICENSE', import.meta.url), `${folder}/LICENSE`);
  await copyFile(new URL('README.md', import.meta.url), `${folder}/README.md`);
  for (const [name, contents] of Object.entries(files))
    await writeFile(`${folder}/${name}`, contents);
  return metafile;
}
