import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presignedUrl } from '../../../functions/store/files.ts';
import { problemBody } from '../../support/contract.ts';
import { applicationItem, fullApplication } from '../../support/items.ts';
import { loadFunctions, useService } from '../../support/service.ts';
import { credentials } from '../../support/signature.ts';

const FILES = {
  FILES_BUCKET: 'example-files',
  FILES_URL: 'https://example-files.s3.us-east-1.amazonaws.com',
};

afterEach(() => vi.unstubAllEnvs());

// Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".
it('signs as in the example that AWS publishes', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY');
  vi.stubEnv('AWS_SESSION_TOKEN', '');
  const address = 'https://examplebucket.s3.amazonaws.com/test.txt';
  const times = { signingDate: new Date('2013-05-24T00:00:00Z'), expiresIn: 86_400 };
  const link = await presignedUrl(address, {}, 'us-east-1', times);
  // The order of the parameters has no meaning.
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

describe('a file of an application', () => {
  const service = useService(FILES);
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
  const link = async (key: string) => {
    const { body } = await read({ resume_url: `s3://example-files/${key}` });
    return new URL(String(body.resume_url));
  };

  it('is given out as a link of 15 minutes, which only the credentials of the function make', async () => {
    const { href, searchParams } = await link('résumés/c-1.pdf');
    expect(href.split('?')[0]).toBe(`${FILES.FILES_URL}/r%C3%A9sum%C3%A9s/c-1.pdf`);
    expect(Object.fromEntries(searchParams)).toEqual({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${credentials.AWS_ACCESS_KEY_ID}/20261103/us-east-1/s3/aws4_request`,
      'X-Amz-Date': '20261103T092653Z',
      'X-Amz-Expires': '900',
      'X-Amz-Security-Token': credentials.AWS_SESSION_TOKEN,
      'X-Amz-SignedHeaders': 'host',
      // As boto3 1.44.5 signs it. The key in AWS's example above needs no percent-encoding.
      'X-Amz-Signature': '64a368c24451b4158ca78a3db2d706a07f46fb2ed5701eea9a4d48299c446944',
      'response-content-disposition': 'inline',
    });
    expect(service.log.lines).toMatchObject([{ outcome: 'ok' }]);
    expect(service.log.text).not.toMatch(/example-files|c-1\.pdf|X-Amz|amazonaws/);
  });

  it('has a link without a session token if the credentials have none', async () => {
    vi.stubEnv('AWS_SESSION_TOKEN', '');
    const { searchParams } = await link('c-1.pdf');
    expect(searchParams.has('X-Amz-Security-Token')).toBe(false);
    expect(searchParams.get('X-Amz-Signature')).toMatch(/^[\da-f]{64}$/);
  });

  it.each([
    ['a b+c%20.pdf', 'a%20b%2Bc%2520.pdf'],
    ["!'()*~-_.pdf", '%21%27%28%29%2A~-_.pdf'],
    ['//a//b/', '//a//b/'],
    ['#&=;:@$,\\"<>', '%23%26%3D%3B%3A%40%24%2C%5C%22%3C%3E'],
    ['日😀', '%E6%97%A5%F0%9F%98%80'],
    ['%2e%2e/...', '%252e%252e/...'],
  ])('with the key %j has the path that S3 signs', async (key, path) => {
    const { pathname, hash } = await link(key);
    expect(pathname + hash).toBe(`/${path}`);
  });

  it('may be the video too, while an https address stays as it is', async () => {
    const { body } = await read({ video_url: 's3://example-files/c-1.mp4' });
    expect(body.resume_url).toBe(fullApplication.resume_url);
    expect(body.video_url).toMatch(/^https:\/\/example-files\.s3\..*\/c-1\.mp4\?X-Amz-Algorithm/);
    expect((await read({})).body).toEqual(fullApplication);
  });

  it.each([
    ['of another bucket', 's3://other-files/secret-key'],
    ['of a bucket whose name begins alike', 's3://example-files-2/secret-key'],
    ['with a step up', 's3://example-files/../secret-key'],
    ['with a query', 's3://example-files/secret-key?a'],
    ['without a key', 's3://example-files'],
  ])('%s is a fault of the stored item, logged without its key', async (_, address) => {
    const { status, body } = await read({ video_url: address });
    expect(status).toBe(500);
    expect(body).toEqual(problemBody('internal'));
    expect(service.log.lines).toMatchObject([
      { failure: { detail: 'A stored application is wrong at /video_url.' } },
    ]);
    expect(service.log.text).not.toMatch(/secret-key|-files/);
  });

  it('is a fault of a deployment without a bucket, of which the log says what to set', async () => {
    const without = { ...service, ...(await loadFunctions(service)) };
    const { status, body } = await read({ resume_url: 's3://example-files/secret-key' }, without);
    expect(status).toBe(500);
    expect(body).toEqual(problemBody('internal'));
    expect(service.log.lines).toMatchObject([
      { level: 'ERROR', failure: { detail: expect.stringContaining('context key filesBucket') } },
    ]);
    expect(service.log.text).not.toMatch(/secret-key|example-files/);
    expect((await read({}, without)).body).toEqual(fullApplication);
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
