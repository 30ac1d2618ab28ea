import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseBinary } from '../../../infra/local/database-binary.ts';
import { root, Service } from '../../support/local-service.ts';
import { portOf } from '../../support/server.ts';

const run = promisify(execFile);
const name = `@dynoxide/${process.platform}-${process.arch}`;
const { optionalDependencies: versions } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const version: string = versions['@dynoxide/linux-x64'];

/** A registry that has the installed package, and nothing else. */
async function startRegistry(tarball: Buffer, integrity: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/package.tgz') {
      response.end(tarball);
      return;
    }
    const dist = { tarball: `http://127.0.0.1:${portOf(server)}/package.tgz`, integrity };
    const isAsked = decodeURIComponent(request.url ?? '') === `/${name}`;
    response.statusCode = isAsked ? 200 : 404;
    response.end(JSON.stringify({ name, versions: { [version]: { name, version, dist } } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('npm start without the package of the embedded DynamoDB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-binary-'));
  const copy = join(folder, 'project');
  const servers: Server[] = [];
  let tarball: Buffer;

  beforeAll(async () => {
    mkdirSync(join(copy, 'node_modules'), { recursive: true });
    for (const file of ['functions', 'infra', 'package.json', 'package-lock.json', 'cdk.json']) {
      cpSync(join(root, file), join(copy, file), { recursive: true });
    }
    for (const each of readdirSync(join(root, 'node_modules'))) {
      if (each === '@dynoxide') continue;
      symlinkSync(join(root, 'node_modules', each), join(copy, 'node_modules', each));
    }
    const installed = dirname(await databaseBinary(() => undefined));
    const pack = ['pack', '--pack-destination', folder, installed];
    const { stdout } = await run('npm', pack);
    tarball = readFileSync(join(folder, stdout.trim()));
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });

  const start = (registry: string, env: Record<string, string> = {}) => {
    const npm = { npm_config_registry: registry, npm_config_cache: join(folder, 'cache') };
    return new Service(join(copy, 'data'), [], { ...npm, ...env }, copy);
  };
  const registryWith = async (integrity: string) => {
    const server = await startRegistry(tarball, integrity);
    servers.push(server);
    return `http://127.0.0.1:${portOf(server)}/`;
  };
  const command = `npm install --no-save --ignore-scripts --prefix .local ${name}@${version}`;
  const alternative = /docker run .*amazon\/dynamodb-local.*AWS_ENDPOINT_URL_DYNAMODB=/;
  const packagesOf = () => [
    readFileSync(join(copy, 'package.json'), 'utf8'),
    readFileSync(join(copy, 'package-lock.json'), 'utf8'),
    readdirSync(join(copy, 'node_modules')),
    readdirSync(join(copy, 'node_modules/.bin')),
  ];

  it('says which command installs it if npm cannot', async () => {
    const service = start('http://127.0.0.1:1/', { npm_config_fetch_retries: '0' });
    expect(await service.ended()).toBe(1);
    expect(service.output).toContain(command);
    expect(service.output).toContain('ECONNREFUSED');
    expect(service.output).toMatch(alternative);
  });

  it('says so too if another package manager has started it', async () => {
    const args = ['infra/local/start.ts', '--data', join(copy, 'data')];
    const env = {
      ...process.env,
      PORT: '0',
      AWS_ENDPOINT_URL_DYNAMODB: '',
      npm_execpath: 'yarn.js',
    };
    const { code, stderr } = await run(process.execPath, args, { cwd: copy, env }).catch(
      (error) => error,
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining(command)]);
    expect(stderr).toMatch(alternative);
  });

  it('does not run a package that differs from what the registry promises', async () => {
    const other = hash('sha512', 'another file', 'base64');
    const service = start(await registryWith(`sha512-${other}`));
    expect(await service.ended()).toBe(1);
    expect(service.output).toContain('EINTEGRITY');
  });

  it('says what it does, installs exactly it, and starts; the project is unchanged', async () => {
    const before = packagesOf();
    const integrity = hash('sha512', tarball, 'base64');
    const service = start(await registryWith(`sha512-${integrity}`));
    await service.until(/listens on/);
    expect(service.output).toContain(command);
    await service.interrupt();
    expect(packagesOf()).toEqual(before);

    const again = start('http://127.0.0.1:1/');
    await again.until(/listens on/);
    expect(again.output).not.toContain(command);
    await again.interrupt();
  });
});
