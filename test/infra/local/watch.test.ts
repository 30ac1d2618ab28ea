import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { root, Service } from '../../support/local-service.ts';

describe('npm start -- --watch', () => {
  const copy = mkdtempSync(join(tmpdir(), 'recruitment-watch-'));
  let service: Service | undefined;

  afterEach(async () => {
    await service?.interrupt();
    rmSync(copy, { recursive: true });
  });

  it('serves the code as it is changed, and keeps the old code if it does not build', {
    timeout: 240_000,
  }, async () => {
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
    await service.until(/Expected ";"/);
    expect(await cacheControl()).toBe('no-store');

    writeFileSync(file, code.replace("'no-store'", "'no-cache'"));
    await service.until(/Rebuilt/);
    expect(await cacheControl()).toBe('no-cache');
  });
});
