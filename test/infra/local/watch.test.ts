import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { root, Service } from '../../support/local-service.ts';

const timesRebuilt = (service: Service | undefined) =>
  service?.output.match(/^Rebuilt/gm)?.length ?? 0;

describe('npm start -- --watch', () => {
  const copy = mkdtempSync(join(tmpdir(), 'recruitment-watch-'));
  let service: Service | undefined;

  afterEach(async () => {
    await service?.interrupt();
    rmSync(copy, { recursive: true });
  });

  it('serves the code as it is changed, and keeps the old code if it does not build', async () => {
    for (const name of ['functions', 'infra', 'package.json', 'cdk.json']) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    service = new Service(join(copy, '.local'), ['--watch'], {}, copy);
    const [, base] = await service.until(/listens on (\S+)/);
    const file = join(copy, 'functions/contract/headers.ts');
    const code = readFileSync(file, 'utf8');
    const cacheControl = async () =>
      (await fetch(`${base}/v1/jobs/4007/applications/c-1001`)).headers.get('cache-control');
    expect(await cacheControl()).toBe('no-store');

    writeFileSync(file, `${code} syntax error`);
    // Of Node.js or of esbuild, whichever reads the file first.
    await service.until(/Expected ['"];/);
    expect(await cacheControl()).toBe('no-store');

    const save = async (text: string) => {
      const builds = timesRebuilt(service);
      // As many editors do, and git.
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
      await expect.poll(() => timesRebuilt(service)).toBe(builds + 1);
    };
    for (const value of ['no-cache', 'private', 'public']) {
      await save(code.replace("'no-store'", `'${value}'`));
      expect(await cacheControl()).toBe(value);
    }

    const builds = timesRebuilt(service);
    const touch = (name: string) =>
      writeFileSync(join(copy, name), `${readFileSync(join(copy, name), 'utf8')}\n`);
    touch('infra/local/gateway.ts');
    await service.until(/Restart npm start to .*infra\/local\/gateway\.ts/);
    touch('infra/project.ts');
    await service.until(/Restart npm start to .*infra\/project\.ts/);
    touch('infra/local/sample-data.ndjson');
    await service.until(/Restart npm start -- --reset to .*sample-data\.ndjson/);
    expect(timesRebuilt(service)).toBe(builds);
    touch('cdk.json');
    await expect.poll(() => timesRebuilt(service)).toBe(builds + 1);
  });
});
