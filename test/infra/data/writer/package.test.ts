import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { buildPackage } from '../../../../infra/data/writer/build.ts';
import { createTestTable, databaseEnvironment } from '../../../support/table.ts';

const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), 'recruitment-writer-'));
const metafile = await buildPackage(join(folder, 'node_modules', 'recruitment-writer'));
for (const scope of ['@aws-sdk', '@types']) {
  await symlink(join(process.cwd(), 'node_modules', scope), join(folder, 'node_modules', scope));
}
await writeFile(join(folder, 'package.json'), '{"type":"module"}');
afterAll(() => rm(folder, { recursive: true }));

/** The oldest Node.js that the package supports, or the current one if the machine lacks it. */
function oldestNode(): string {
  const paths = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'));
  const versionOf = (path: string) => {
    try {
      return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' });
    } catch {
      return '';
    }
  };
  return paths.find((path) => versionOf(path).startsWith('v20.')) ?? process.execPath;
}

it('has a README of one screen, whose program runs under Node.js 20', async () => {
  const readme = await readFile(join(folder, 'node_modules/recruitment-writer/README.md'), 'utf8');
  expect(readme.split('\n').length).toBeLessThan(50);
  const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  const table = await createTestTable();
  await writeFile(join(folder, 'readme.mjs'), program.replace("'TABLE'", `'${table.name}'`));
  const env = { ...process.env, ...databaseEnvironment(), NODE_OPTIONS: '' };
  await run(oldestNode(), ['readme.mjs'], { cwd: folder, env });
  const removed = { removed: true, revision: 1_795_426_201_000 };
  expect(await table.read(applicationKey('default', '4007', 'c-2001'))).toMatchObject(removed);
});

it('has exact types for clients, records and outcomes', async () => {
  const program = `
    import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
    import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
    import { type ApplicationToPut, InvalidRecord, recordWriter } from 'recruitment-writer';

    const client = new DynamoDBClient({});
    const settings = { table: 'jobs', tenantClaim: 'none', expireAfterDays: 365 };
    recordWriter({ client: DynamoDBDocumentClient.from(client), ...settings });
    const writer = recordWriter({ client, ...settings });
    const record: ApplicationToPut = {
      job_id: '4007', user_id: 'c-1', name: 'Ana Example', email: 'ana@example.com', stage_id: 's',
      stage_title: 'New', created_at: '2026-09-14T12:30:45Z', phone: null, education: [{ degree: 'BSc' }],
    };
    const outcome: 'stored' | 'older' | 'erased' = await writer.putApplication(record, Date.now());
    const removed: 'removed' | 'older' = await writer.removeApplication({ job_id: '1', user_id: '2' }, 1);
    const created: 'created' | 'exists' = await writer.createJob({ id: '1', status: 'draft' });
    // @ts-expect-error: a required member is missing
    await writer.putApplication({ job_id: '4007' }, 1);
    // @ts-expect-error: the revision is missing
    await writer.putApplication(record);
    // @ts-expect-error: not a status
    await writer.createJob({ id: '1', status: 'open' });
    // @ts-expect-error: the tenant claim is missing
    recordWriter({ client, table: 'jobs' });
    export const seen = [outcome, removed, created, new Error() instanceof InvalidRecord];
  `;
  await writeFile(join(folder, 'program.ts'), program);
  const compilerOptions = {
    ...{ target: 'es2022', module: 'nodenext', strict: true, noEmit: true, types: ['node'] },
    ...{ exactOptionalPropertyTypes: true, skipLibCheck: true },
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions,
      files: ['program.ts', 'node_modules/recruitment-writer/index.d.ts'],
    }),
  );
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});

it('holds no schema compiler, no middleware and nothing that deploys', () => {
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(packages)]).toEqual(['@aws-sdk/util-dynamodb']);
  const [output] = Object.values(metafile.outputs);
  const imported = output?.imports.map(({ path }) => path);
  expect(new Set(imported)).toEqual(new Set(['@aws-sdk/client-dynamodb', 'node:timers/promises']));
});
