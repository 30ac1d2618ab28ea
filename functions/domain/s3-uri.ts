export const PRESIGNED_URL_MINUTES = 15;

/** Amazon S3's limit. */
const MAX_KEY_BYTES = 1024;
const S3_URI = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/([^?\p{Cc}]+)$/u;
/** HTTP clients resolve `.` and `..` in a URL, and would request another object. */
const RELATIVE_STEP = /(?:^|\/)\.\.?(?:\/|$)/;

export const S3_URI_RULE = `s3://BUCKET/KEY, with a key of at most ${MAX_KEY_BYTES} bytes and without control characters, ?, or the path segments . and ..`;

interface S3Location {
  readonly bucket: string;
  readonly key: string;
}

export function parseS3Uri(uri: string): S3Location | undefined {
  const [, bucket = '', key = ''] = S3_URI.exec(uri) ?? [];
  const isText = key !== '' && key.isWellFormed() && !RELATIVE_STEP.test(key);
  const isKey = isText && Buffer.byteLength(key) <= MAX_KEY_BYTES;
  return isKey ? { bucket, key } : undefined;
}

interface TenantFiles {
  readonly buckets: readonly string[];
  /** From `keyPrefixOf`; empty without a tenant claim. */
  readonly keyPrefix: string;
}

/** `fault` never quotes the URI, so it may be logged. */
export function locateFile(
  uri: string,
  { buckets, keyPrefix }: TenantFiles,
): { location: S3Location; fault?: undefined } | { location?: undefined; fault: string } {
  const location = parseS3Uri(uri);
  if (location === undefined) return { fault: `is not ${S3_URI_RULE}` };
  if (!buckets.includes(location.bucket)) return { fault: 'names a bucket other than filesBucket' };
  if (!location.key.startsWith(keyPrefix)) return { fault: "is outside the tenant's key prefix" };
  return { location };
}

/** `acme%3A1/` for the tenant `acme:1`, encoded as in the table's keys. */
export const keyPrefixOf = (tenant: string): string => `${encodeURIComponent(tenant)}/`;
