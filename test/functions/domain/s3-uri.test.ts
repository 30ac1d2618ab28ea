import { describe, expect, it } from 'vitest';
import { locateFile, parseS3Uri } from '../../../functions/domain/s3-uri.ts';

const control = (code: number) => `s3://bucket/a${String.fromCharCode(code)}b`;

describe('the S3 URI of a file', () => {
  it.each([
    ['a', 'c-1.pdf'],
    ['spaces', 'résumés/Ana Example (1).pdf'],
    ['what a URL would decode', '100%25+%2F..%2F.pdf'],
    ['fragments, ampersands and quotes', '#1&b=\'"\\<>.pdf'],
    ['empty steps and a step of three dots', '/a//.../b./.c/'],
    ['characters beyond the BMP', '日本😀'],
  ])('may have a key with %s, which stays unchanged', (_, key) => {
    expect(parseS3Uri(`s3://example.files-1/${key}`)).toEqual({
      bucket: 'example.files-1',
      key,
    });
  });

  it('has a key of at most 1,024 bytes (not characters)', () => {
    const key = (characters: number) => `s3://bucket/${'é'.repeat(characters)}`;
    expect(parseS3Uri(key(512))?.key).toHaveLength(512);
    expect(parseS3Uri(key(513))).toBeUndefined();
  });

  it.each([
    ['no key', 's3://bucket'],
    ['an empty key', 's3://bucket/'],
    ['no bucket', 's3:///key'],
    ['another scheme', 'https://bucket/key'],
    ['another case', 'S3://bucket/key'],
    ['text before it', ' s3://bucket/key'],
    ['a bucket in capitals', 's3://Bucket/key'],
    ['a bucket that ends with a hyphen', 's3://bucket-/key'],
    ['a short bucket', 's3://bu/key'],
    ['a long bucket', `s3://${'b'.repeat(64)}/key`],
    ['a host as its bucket', 's3://user@bucket:1/key'],
    ['a query', 's3://bucket/key?versionId=1'],
    ['a step up', 's3://bucket/../key'],
    ['a step up at its end', 's3://bucket/a/..'],
    ['a step to the same place', 's3://bucket/a/./b'],
    ['an unpaired surrogate', 's3://bucket/\ud800'],
    ['a line end', control(10)],
    ['a control character of Latin-1', control(0x85)],
  ])('is not well formed with %s', (_, uri) => {
    expect(parseS3Uri(uri)).toBeUndefined();
  });
});

it("a key's prefix must be the tenant's exactly", () => {
  const files = { buckets: ['bucket'], keyPrefix: 'acme/' };
  expect(locateFile('s3://bucket/ACME/cv.pdf', files).fault).toMatch(/prefix/);
});

it('a malformed URI names no file of a tenant', () => {
  const files = { buckets: ['bucket'], keyPrefix: 'acme/' };
  expect(locateFile('s3://bucket/', files).fault).toMatch(/^is not s3:\/\/BUCKET\/KEY, /);
});
