/** The text of a context key, where it is set. */
export type Read = (key: string) => string | undefined;

/** The bundle of certificates of the authorities that a client's certificate may come from. */
export interface TrustStore {
  bucket: string;
  key: string;
  version: string | undefined;
}

/** The region that a certificate must be in, and what to do where it is in another. */
export interface NeededRegion {
  name: string;
  remedy: string;
}

/** At least two labels (RFC 1123, section 2.1), in lower case, the last not of digits alone. */
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const CERTIFICATE_ARN =
  /^arn:aws(?:-[a-z]+)*:acm:([a-z0-9-]+):\d{12}:certificate\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(\S{1,1024})$/;

/** @throws Error that says what to set the key to, where it is not set. */
export function required(read: Read, key: string, meaning: string): string {
  const value = read(key);
  if (value === undefined)
    throw new Error(`The context key ${key} is missing: set it to ${meaning}.`);
  return value;
}

/** The host name that a key holds. */
export function hostName(read: Read, key: string): string {
  const name = required(read, key, 'a host name such as api.example.com');
  if (!HOST_NAME.test(name) || name.length > 253) {
    throw new Error(
      `The context key ${key} must be a host name such as api.example.com, ` +
        'in lower case, without https://, * or a path.',
    );
  }
  return name;
}

/** The ARN of a certificate that a key holds. */
export function certificateArn(read: Read, key: string, needed: NeededRegion | undefined): string {
  const arn = required(read, key, 'the ARN of a certificate in AWS Certificate Manager');
  const region = CERTIFICATE_ARN.exec(arn)?.[1];
  if (region === undefined) {
    throw new Error(
      `The context key ${key} must be the ARN of a certificate in AWS Certificate Manager, ` +
        'such as arn:aws:acm:eu-west-1:111122223333:certificate/12345678-1234-1234-1234-123456789012.',
    );
  }
  if (needed !== undefined && region !== needed.name) {
    throw new Error(
      `The context key ${key} names a certificate in ${region}, and ${needed.name} is needed: ${needed.remedy}.`,
    );
  }
  return arn;
}

/** The trust store that the keys `trustStore` and `trustStoreVersion` hold. */
export function trustStore(read: Read): TrustStore | undefined {
  const address = read('trustStore');
  const version = read('trustStoreVersion');
  if (address === undefined) {
    if (version === undefined) return undefined;
    throw new Error(
      'The context key trustStoreVersion belongs to a trust store: set trustStore too.',
    );
  }
  const [, bucket, key] = S3_ADDRESS.exec(address) ?? [];
  if (bucket === undefined || key === undefined) {
    throw new Error(
      'The context key trustStore must be the address of a PEM file in S3, ' +
        'such as s3://bucket/authority.pem.',
    );
  }
  return { bucket, key, version };
}

/** The hosted zone of Route 53 that the key `hostedZoneId` holds. */
export function hostedZoneId(read: Read): string | undefined {
  const id = read('hostedZoneId');
  if (id !== undefined && !/^Z[A-Z0-9]{1,31}$/.test(id)) {
    throw new Error(
      'The context key hostedZoneId must be the id of a hosted zone in Route 53, ' +
        'such as Z0123456789ABCDEFGHIJ.',
    );
  }
  return id;
}
