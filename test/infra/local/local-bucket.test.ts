import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { presignedUrl } from '../../../functions/store/presign.ts';
import { serveFiles } from '../../../infra/local/local-bucket.ts';
import { serviceTest as it } from '../../support/local-service.ts';

const RESUME = 'default/c-1001/resume.pdf';

const REGION = 'us-east-1';
const URL_LIFETIME_S = 900;
const MINUTE_MS = 60_000;

describe('the local bucket', () => {
  it('opens the presigned URL of the sample application, and no altered URL', async ({
    running,
  }) => {
    const headers = { Authorization: `Bearer ${await running.service.token()}` };
    const read = await fetch(`${running.base}/v1/jobs/4007/applications/c-1001`, { headers });
    const { resume_url: url } = (await read.json()) as { resume_url: string };
    expect(url).toMatch(/Credential=local%2F/);
    expect(url).not.toContain('Security-Token');
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe('inline');
    expect(await response.text()).toMatch(/^%PDF-.*%%EOF\n$/s);
    for (const altered of [
      url.replace('c-1001', 'c-1002'),
      url.replace('Expires=900', 'Expires=901'),
      url.replace('Expires=900', 'Expires=1e99'),
      url.replace('Credential=', 'Credential=x'),
      url.replace(/\?.*/, ''),
      `${url}&download=1`,
    ]) {
      expect((await fetch(altered)).status).toBe(403);
    }
  });

  it.for([
    ['has expired', RESUME, 16, 403],
    ['names a missing file', 'default/c-9/resume.pdf', 0, 404],
    ['names a folder', 'default', 0, 404],
    ['names a file outside the bucket', '..%2Fservice.json', 0, 404],
  ] as const)('opens no file if the URL %s', async ([, key, minutes, status], { running }) => {
    const [accessKeyId, secretAccessKey] = ['local', crypto.randomUUID()];
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
    const times = {
      signingDate: new Date(Date.now() - minutes * MINUTE_MS),
      expiresIn: URL_LIFETIME_S,
    };
    const signed = await presignedUrl(`${running.base}/files/${key}`, {}, REGION, times);
    const { host, pathname, search } = new URL(signed);
    const credentials = { accessKeyId, secretAccessKey };
    const open = serveFiles(join(running.data, 'files'), { region: REGION, credentials });
    const request = { method: 'GET', url: pathname + search, headers: { host } };
    expect((await open(request as IncomingMessage))?.statusCode).toBe(status);
  });
});
