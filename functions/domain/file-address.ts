/** How long a link to a file is valid, in minutes. */
export const LINK_MINUTES = 15;

/** The most bytes of UTF-8 that a key may have (Amazon S3, "Naming Amazon S3 objects"). */
const KEY_LIMIT_BYTES = 1024;
const ADDRESS = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])\/([^?\p{Cc}]+)$/u;
/** Clients remove such a step of a path before they send it. */
const RELATIVE_STEP = /(?:^|\/)\.\.?(?:\/|$)/;

/** What the address of a file must be, in words. */
export const FILE_ADDRESS_RULE =
  `s3://BUCKET/KEY, with a key of at most ${KEY_LIMIT_BYTES} bytes of UTF-8 without ` +
  'control characters, ?, and the steps . and ..';

/** The bucket and the key of a file in Amazon S3; undefined if the address is not well formed. */
export function parseFileAddress(address: string): { bucket: string; key: string } | undefined {
  const [, bucket, key] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined || key === undefined || !key.isWellFormed()) return undefined;
  const isKey = !RELATIVE_STEP.test(key) && Buffer.byteLength(key) <= KEY_LIMIT_BYTES;
  return isKey ? { bucket, key } : undefined;
}
