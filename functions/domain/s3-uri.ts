/** How long a presigned URL is valid, in minutes. */
export const PRESIGNED_URL_MINUTES = 15;

/** The most bytes of UTF-8 that a key may have (Amazon S3, "Naming Amazon S3 objects"). */
const KEY_LIMIT_BYTES = 1024;
const S3_URI = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/([^?\p{Cc}]+)$/u;
/** Clients remove such a step of a path before they send it. */
const RELATIVE_STEP = /(?:^|\/)\.\.?(?:\/|$)/;

/** What the S3 URI of a file must be, in words. */
export const S3_URI_RULE =
  `s3://BUCKET/KEY, with a key of at most ${KEY_LIMIT_BYTES} bytes of UTF-8 without ` +
  'control characters, ?, and the steps . and ..';

/** The bucket and the key of a file in Amazon S3; undefined if the URI is not well formed. */
export function parseS3Uri(uri: string): { bucket: string; key: string } | undefined {
  const [, bucket = '', key = ''] = S3_URI.exec(uri) ?? [];
  const isText = key !== '' && key.isWellFormed() && !RELATIVE_STEP.test(key);
  const isKey = isText && Buffer.byteLength(key) <= KEY_LIMIT_BYTES;
  return isKey ? { bucket, key } : undefined;
}

/**
 * Why a file may not be given to a tenant, in words that hold nothing of the URI; undefined if it may.
 * @param files the deployment's buckets, and what each key of the tenant's files begins with: `keyPrefixOf`,
 *   or nothing in a deployment without tenants.
 */
export function s3UriFault(
  uri: string,
  files: { buckets: readonly string[]; keyPrefix: string },
): string | undefined {
  const file = parseS3Uri(uri);
  if (file === undefined) return `is not ${S3_URI_RULE}`;
  if (!files.buckets.includes(file.bucket)) return 'names another bucket than filesBucket';
  return file.key.startsWith(files.keyPrefix) ? undefined : "is outside the tenant's key prefix";
}

/** What the keys of a tenant's files begin with: its id, percent-encoded as in the keys of the table. */
export const keyPrefixOf = (tenant: string): string => `${encodeURIComponent(tenant)}/`;
