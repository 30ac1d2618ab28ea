import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presignedUrl } from '../../../functions/store/presign.ts';
import { problemBody } from '../../support/contract.ts';
import { credentials } from '../../support/credentials.ts';
import { dynamoError } from '../../support/faults.ts';
import { applicationItem, fullApplication } from '../../support/items.ts';
import { loadFunctions, startProxiedService } from '../../support/service.ts';

const FILES = {
  FILES_BUCKET: 'example-files,new-files',
  FILES_URL: 'https://*.s3.us-east-1.amazonaws.com',
};

afterEach(() => vi.unstubAllEnvs());

// The example is in the Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature
// Version 4)".
it('signs as in the example that AWS publishes', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY');
  vi.stubEnv('AWS_SESSION_TOKEN', '');
  const address = 'https://examplebucket.s3.amazonaws.com/test.txt';
  const times = { signingDate: new Date('2013-05-24T00:00:00Z'), expiresIn: 86_400 };
  const link = await presignedUrl(address, {}, 'us-east-1', times);
  expect(link.split(/[?&]/).toSorted()).toEqual([
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    'X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request',
    'X-Amz-Date=20130524T000000Z',
    'X-Amz-Expires=86400',
    'X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    'X-Amz-SignedHeaders=host',
    address,
  ]);
});

describe('a file of an application', async () => {
  const service = await startProxiedService(FILES);
  const now = Date.UTC(2026, 10, 3, 9, 26, 53, 589);
  beforeEach(() => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    vi.useFakeTimers({ toFake: ['Date'], now });
    return () => vi.useRealTimers();
  });

  const read = async (members: Readonly<Record<string, unknown>>, functions = service) => {
    await service.table.put(applicationItem({}, { ...fullApplication, ...members }));
    return functions.getApplication({ pathParameters: { id: 'j-1', candidate_id: 'c-1' } });
  };
  const presigned = async (key: string) => {
    const { body } = await read({ resume_url: `s3://example-files/${key}` });
    return new URL(String(body.resume_url));
  };

  it('has a presigned URL of 15 minutes, which only the credentials of the function make', async () => {
    const { href, searchParams } = await presigned('résumés/c-1.pdf');
    expect(href.split('?')[0]).toBe(
      'https://example-files.s3.us-east-1.amazonaws.com/r%C3%A9sum%C3%A9s/c-1.pdf',
    );
    expect(Object.fromEntries(searchParams)).toEqual({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${credentials.AWS_ACCESS_KEY_ID}/20261103/us-east-1/s3/aws4_request`,
      'X-Amz-Date': '20261103T092653Z',
      'X-Amz-Expires': '900',
      'X-Amz-Security-Token': credentials.AWS_SESSION_TOKEN,
      'X-Amz-SignedHeaders': 'host',
      // Computed with boto3 1.44.5, because the object key in AWS's example above needs no percent-encoding.
      'X-Amz-Signature': 'c36f39bd8699ecb5f4e94dbeedb4a60cd239715dad839ef9bfb801b33a84ea22',
      'response-content-disposition': 'inline',
      'response-content-type': 'application/pdf',
    });
    expect(service.log.lines).toMatchObject([{ outcome: 'ok' }]);
    expect(service.log.text).not.toMatch(/example-files|c-1\.pdf|X-Amz|amazonaws/);
  });

  it("is signed by DynamoDB's clock once DynamoDB has refused the function's", async () => {
    const functions = { ...service, ...(await loadFunctions(service, FILES)) };
    service.proxy.expect(dynamoError(400, 'RequestExpired'), 'none');
    const { body } = await read({ resume_url: 's3://example-files/c-1.pdf' }, functions);
    // Signed at the true time, from the proxy's response, not at the fake `Date`'s.
    const [, signedAt] = /X-Amz-Date=(\w+)/.exec(String(body.resume_url)) ?? [];
    expect(signedAt).not.toBe('20261103T092653Z');
  });

  it.each([
    ['a b+c%20.pdf', 'a%20b%2Bc%2520.pdf'],
    ["!'()*~-_.pdf", '%21%27%28%29%2A~-_.pdf'],
    ['#&=;:@$,\\"<>', '%23%26%3D%3B%3A%40%24%2C%5C%22%3C%3E'],
    ['日😀', '%E6%97%A5%F0%9F%98%80'],
  ])('with the key %j has the path that S3 signs', async (key, path) => {
    const { pathname, hash } = await presigned(key);
    expect(pathname + hash).toBe(`/${path}`);
  });

  it('may be a video, which no browser shows as a page, while an https URL stays as it is', async () => {
    const { body } = await read({ video_url: 's3://example-files/c-1.mp4' });
    expect(body.resume_url).toBe(fullApplication.resume_url);
    expect(body.video_url).toMatch(/^https:\/\/example-files\.s3\..*\/c-1\.mp4\?X-Amz-Algorithm/);
    expect(body.video_url).toContain('&response-content-disposition=attachment');
  });

  it('may be in either of two buckets, while files move', async () => {
    const { body } = await read({ video_url: 's3://new-files/c-1.mp4' });
    expect(body.video_url).toContain('https://new-files.s3.us-east-1.amazonaws.com/c-1.mp4?');
    expect(body.video_url).not.toContain('response-content-type');
    expect((await read({})).body).toEqual(fullApplication);
  });

  it.each([
    ['names a bucket other than filesBucket', 's3://other-files/secret-key'],
    ['names a bucket other than filesBucket', 's3://example-files-2/secret-key'],
  ])('is not presigned if it %s, which the log says without the URI %s', async (fault, uri) => {
    const { status, body } = await read({ video_url: uri });
    expect(status).toBe(500);
    expect(body).toEqual(problemBody('stored_data_invalid'));
    const detail = expect.stringContaining(`A stored application is invalid: video_url ${fault}`);
    expect(service.log.lines).toMatchObject([{ level: 'WARN', failure: { detail } }]);
    expect(service.log.text).not.toMatch(/secret-key|-files/);
  });

  it('is not presigned in a deployment without a bucket, whose other applications are read', async () => {
    const without = { ...service, ...(await loadFunctions(service)) };
    const { body } = await read({ resume_url: 's3://example-files/secret-key' }, without);
    expect(body).toEqual(problemBody('stored_data_invalid'));
    expect(service.log.lines).toMatchObject([
      { failure: { detail: expect.stringMatching(/^A stored application .* is in S3, but/) } },
    ]);
    expect(service.log.text).not.toMatch(/secret-key|example-files/);
    expect((await read({}, without)).body).toEqual(fullApplication);
  });

  it('is presigned only for the tenant whose encoded id its key begins with', async () => {
    const { getApplication } = await loadFunctions(service, { ...FILES, TENANT_CLAIM: 'tenant' });
    const outcome = async (tenant: string, key: string) => {
      const members = { ...fullApplication, resume_url: `s3://example-files/${key}` };
      await service.table.put(applicationItem({ tenant }, members));
      const token = await service.issuer.mint({ tenant });
      const { status, body } = await getApplication({ token });
      if (status !== 200) return body.code;
      return body.resume_url && new URL(String(body.resume_url)).pathname;
    };
    const invalid = 'stored_data_invalid';
    expect(await outcome('acme', 'acme/c-1.pdf')).toBe('/acme/c-1.pdf');
    expect(await outcome('a/b', 'a%2Fb/c-1.pdf')).toBe('/a%252Fb/c-1.pdf');
    expect(await outcome('a', 'a%2Fb/c-1.pdf')).toBe(invalid);
    expect(await outcome('a/b', 'a/b/c-1.pdf')).toBe(invalid);
    expect(await outcome('evil', 'acme/c-1.pdf')).toBe(invalid);
    expect(service.log.text).toContain("resume_url is outside the tenant's key prefix");
    expect(await outcome('acme', 'acme-2/c-1.pdf')).toBe(invalid);
    expect(await outcome('..', '../c-1.pdf')).toBeNull();
  });

  it('is a fault if the function has no credentials, which is the cause in the log', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', '');
    await expect(presignedUrl(FILES.FILES_URL, {}, 'us-east-1', {})).rejects.toThrow('credentials');
    const { status } = await read({ resume_url: 's3://example-files/secret-key' });
    expect(status).toBe(500);
    expect(service.log.lines).toMatchObject([
      { failure: { cause: { name: 'CredentialsProviderError' } } },
    ]);
    expect(service.log.text).not.toMatch(/secret-key|example-files/);
  });
});
