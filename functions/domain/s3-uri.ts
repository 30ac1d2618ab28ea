/** The time for which a presigned URL is valid, in minutes. */
export const PRESIGNED_URL_MINUTES = 15;

/** The maximum size of an object key in Amazon S3, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;
const S3_URI = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/([^?\p{Cc}]+)$/u;
/** A path segment `.` or `..`. HTTP clients remove such segments from a URL, and would request another object key. */
const RELATIVE_STEP = /(?:^|\/)\.\.?(?:\/|$)/;

/** The rule for an S3 URI, as text that can follow "must be" or "is not". */
export const S3_URI_RULE =
  `s3://BUCKET/KEY, with a key of at most ${MAX_KEY_BYTES} bytes of UTF-8 without ` +
  'control characters, ?, and the steps . and ..';

/** The bucket and the object key of a file in Amazon S3. */
interface S3Location {
  readonly bucket: string;
  readonly key: string;
}

/** Returns the bucket and the object key in an S3 URI; undefined if the URI is malformed. */
export function parseS3Uri(uri: string): S3Location | undefined {
  const [, bucket = '', key = ''] = S3_URI.exec(uri) ?? [];
  const isText = key !== '' && key.isWellFormed() && !RELATIVE_STEP.test(key);
  const isKey = isText && Buffer.byteLength(key) <= MAX_KEY_BYTES;
  return isKey ? { bucket, key } : undefined;
}

/**
 * The files that a tenant may use. The bucket must be one of `buckets`, and the object key must begin with `keyPrefix`.
 */
interface TenantFiles {
  readonly buckets: readonly string[];
  /** The tenant's prefix from `keyPrefixOf`; empty if the deployment does not set a tenant claim. */
  readonly keyPrefix: string;
}

/**
 * Returns the location of the file that an S3 URI names. If the tenant may not use this file, returns the reason. The
 * reason contains no part of the URI.
 */
export function locateFile(
  uri: string,
  { buckets, keyPrefix }: TenantFiles,
): { location: S3Location; fault?: undefined } | { location?: undefined; fault: string } {
  const location = parseS3Uri(uri);
  if (location === undefined) return { fault: `is not ${S3_URI_RULE}` };
  if (!buckets.includes(location.bucket)) return { fault: 'names another bucket than filesBucket' };
  if (!location.key.startsWith(keyPrefix)) return { fault: "is outside the tenant's key prefix" };
  return { location };
}

/**
 * Returns the prefix that the object keys of a tenant's files must have. Example: `acme%3A1/` for the tenant `acme:1`.
 * The keys of the table encode the tenant in the same way.
 */
export const keyPrefixOf = (tenant: string): string => `${encodeURIComponent(tenant)}/`;
