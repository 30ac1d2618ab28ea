import { afterEach, expect, it, vi } from 'vitest';
import { presignedUrl } from '../../../functions/store/files.ts';
import type { Running } from '../../support/local-service.ts';

/** A link to the résumé of the sample application. */
export async function linkToResume({ service, base }: Running): Promise<string> {
  const headers = { Authorization: `Bearer ${await service.token()}` };
  const response = await fetch(`${base}/v1/jobs/4007/applications/c-1001`, { headers });
  const { resume_url } = (await response.json()) as { resume_url: string };
  return resume_url;
}

/** The tests of the files that a running service serves. */
export function candidateFiles(running: Running): void {
  afterEach(() => vi.unstubAllEnvs());

  /** A link to a key, percent-encoded, which was signed so many minutes ago. */
  function linkTo(key: string, minutes = 0): Promise<string> {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
      vi.stubEnv(name, process.env[name] ?? 'local');
    }
    const times = { signingDate: new Date(Date.now() - minutes * 60_000), expiresIn: 900 };
    const region = process.env.AWS_REGION || 'us-east-1';
    return presignedUrl(`${running.base}/files/${key}`, {}, region, times);
  }

  it('opens the link to the résumé of the sample application, and not an altered one', async () => {
    const url = await linkToResume(running);
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
    ['expired', 'default/c-1001/resume.pdf', 16, 403, '<Message>Request has expired</Message>'],
    ['to a file that is missing', 'default/c-9/resume.pdf', 0, 404, '<Code>NoSuchKey</Code>'],
    ['to a folder', 'default', 0, 404, '<Code>NoSuchKey</Code>'],
    ['to another file of the machine', '..%2Fservice.json', 0, 404, '<Code>NoSuchKey</Code>'],
  ])('answers a link as S3 does that is %s', async (_, key, minutes, status, error) => {
    const response = await fetch(await linkTo(key, minutes));
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(error),
    ]);
  });
}
