/** The time for which a presigned URL is valid, in minutes. */
export const PRESIGNED_URL_MINUTES = 15;

/** The maximum size of an object key, in bytes of UTF-8 (Amazon S3, "Naming Amazon S3 objects"). */
const KEY_LIMIT_BYTES = 1024;
const S3_URI = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/([^?\p{Cc}]+)$/u;
/** A path segment `.` or `..`, which clients resolve before they send a request. */
const RELATIVE_STEP = /(?:^|\/)\.\.?(?:\/|$)/;

/** The form of an S3 URI, as text that follows "must be" or "is not". */
export const S3_URI_RULE =
  `s3://BUCKET/KEY, with a key of at most ${KEY_LIMIT_BYTES} bytes of UTF-8 without ` +
  'control characters, ?, and the steps . and ..';

/** The place of a file in Amazon S3. */
export interface S3Location {
  readonly bucket: string;
  readonly key: string;
}

/** Returns the location that a URI names; undefined if the URI is malformed. */
export function parseS3Uri(uri: string): S3Location | undefined {
  const [, bucket = '', key = ''] = S3_URI.exec(uri) ?? [];
  const isText = key !== '' && key.isWellFormed() && !RELATIVE_STEP.test(key);
  const isKey = isText && Buffer.byteLength(key) <= KEY_LIMIT_BYTES;
  return isKey ? { bucket, key } : undefined;
}

/** The deployment's buckets, and the prefix that the object keys of a tenant's files must have. */
export interface TenantFiles {
  readonly buckets: readonly string[];
  /** The result of `keyPrefixOf` for the tenant; empty if the deployment has no tenant claim. */
  readonly keyPrefix: string;
}

/**
 * Finds the file that a URI names, if the tenant may use this file.
 * @returns the location of the file, or the reason why the tenant may not use the file. The reason contains no
 *   part of the URI.
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
 * Returns the prefix of the object keys of a tenant's files: the tenant's id, percent-encoded as in the table's keys,
 * and `/`.
 */
export const keyPrefixOf = (tenant: string): string => `${encodeURIComponent(tenant)}/`;
