import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Sha256 } from '@smithy/core/checksum';
import { buildQueryString } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command as smoke } from '../../../infra/commands/smoke/smoke.ts';
import type { Running } from '../../support/local-service.ts';
import { runCommand } from '../../support/operator-command.ts';

/** The key of the résumé of the sample application. */
const RESUME = 'default/c-1001/resume.pdf';

/** Presigns the URL of a file, as a holder of this secret does. */
export async function presignedUrl(
  url: string,
  secretAccessKey: string,
  { method = 'GET', minutes = 0, query = {} } = {},
): Promise<string> {
  const { host, hostname, pathname } = new URL(url);
  const signer = new SignatureV4({
    credentials: { accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? 'local', secretAccessKey },
    region: process.env.AWS_REGION || 'us-east-1',
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
  });
  const unsent = new Set(['x-amz-content-sha256']);
  const headers = { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const signed = await signer.presign(
    { method, protocol: 'http:', hostname, path: pathname, query, headers },
    {
      signingDate: new Date(Date.now() - minutes * 60_000),
      expiresIn: 900,
      unhoistableHeaders: unsent,
      unsignableHeaders: unsent,
    },
  );
  return `${url}?${buildQueryString({ ...signed.query })}`;
}

/** The tests of the files that a running service, started with this secret, serves from a folder. */
export function candidateFiles(running: Running, folder: string, secretAccessKey: string): void {
  const link = join(folder, 'default/link.pdf');
  const fifo = join(folder, 'default/fifo.pdf');
  beforeAll(() => {
    symlinkSync(join(folder, RESUME), link);
    execFileSync('mkfifo', [fifo]);
  });
  afterAll(() => {
    rmSync(link);
    rmSync(fifo);
  });

  /** A presigned URL of a key, percent-encoded, which was signed so many minutes ago. */
  const presign = (key: string, { method = 'GET', minutes = 0, query = {} } = {}) =>
    presignedUrl(`${running.base}/files/${key}`, secretAccessKey, { method, minutes, query });

  it('opens the presigned URL of the sample application, and not an altered one', async () => {
    const headers = { Authorization: `Bearer ${await running.service.token()}` };
    const read = await fetch(`${running.base}/v1/jobs/4007/applications/c-1001`, { headers });
    const { resume_url: url } = (await read.json()) as { resume_url: string };
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe('inline');
    expect(await response.text()).toMatch(/^%PDF-.*%%EOF\n$/s);
    for (const altered of [
      url.replace('c-1001', 'c-1002'),
      url.replace('Expires=900', 'Expires=901'),
      url.replace('Credential=', 'Credential=x'),
      `${url}&download=1`,
    ]) {
      const refused = await fetch(altered);
      expect([refused.status, await refused.text()]).toEqual([
        403,
        expect.stringContaining('<Code>SignatureDoesNotMatch</Code>'),
      ]);
    }
  });

  it.each([
    ['has expired', RESUME, 16, 403, '<Message>Request has expired</Message>'],
    ['was signed in the future', RESUME, -1, 403, '<Message>Request is not yet valid</Message>'],
    ['names a missing file', 'default/c-9/resume.pdf', 0, 404, 'NoSuchKey'],
    ['names a folder', 'default', 0, 404, 'NoSuchKey'],
    ['names another file of the machine', '..%2Fservice.json', 0, 404, 'NoSuchKey'],
    ['has .. in its key', 'default%2F..%2Fdefault%2Fc-1001%2Fresume.pdf', 0, 404, 'NoSuchKey'],
    ['has a key with two slashes', 'default//c-1001/resume.pdf', 0, 404, 'NoSuchKey'],
    ['names a symbolic link', 'default/link.pdf', 0, 404, 'NoSuchKey'],
    ['names a FIFO', 'default/fifo.pdf', 0, 404, 'NoSuchKey'],
    ['has a malformed percent sign', 'default/%E0', 0, 400, 'InvalidURI'],
  ])('responds as S3 does if a URL %s', async (_, key, minutes, status, error) => {
    const response = await fetch(await presign(key, { minutes }));
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(error),
    ]);
  });

  it.each([
    ['bytes=0-3', 206, /^%PDF$/],
    ['bytes=5-', 206, /^1\.\d.*%%EOF\n$/s],
    ['bytes=-6', 206, /^%%EOF\n$/],
    ['bytes=0-1,3-4', 200, /^%PDF-.*%%EOF\n$/s],
    ['bytes=5-3', 200, /^%PDF-.*%%EOF\n$/s],
    ['bytes=999999-', 416, /InvalidRange/],
  ])('serves the range %s', async (range, status, text) => {
    const response = await fetch(await presign(RESUME), { headers: { range } });
    const body = await response.text();
    expect([response.status, body]).toEqual([status, expect.stringMatching(text)]);
    const [, length] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    expect(length === undefined).toBe(status !== 206);
  });

  it('responds to HEAD, and with the type that the URL names', async () => {
    const query = { 'response-content-type': 'text/x-own' };
    const url = await presign(RESUME, { method: 'HEAD', query });
    const { status, headers } = await fetch(url, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/x-own']);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100);
    expect((await fetch(url)).status).toBe(403);
    const invalid = await presign(RESUME, { query: { 'response-content-type': 'a\r\nb' } });
    expect((await fetch(invalid)).status).toBe(500);
  });

  it('lets the smoke test open a file, and notice one that does not open', async () => {
    const env = { TOKEN: await running.service.token() };
    const run = (key: string) => {
      const uri = `s3://recruitment-local/${key}`;
      return runCommand(smoke, ['--data', join(folder, '..'), '--file', uri], { env });
    };
    expect(await run(RESUME)).toMatchObject({ exitCode: 0 });
    const { exitCode, out } = await run('default/missing.pdf');
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/^FAILED.*got 404 NoSuchKey$/m)]);
    expect(out).not.toContain('X-Amz-');
  });
}
