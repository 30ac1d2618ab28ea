import { fromEnv } from '@aws-sdk/credential-provider-env';
import { Sha256 } from '@smithy/core/checksum';
import { buildQueryString, escapeUriPath } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { RequestPresigningArguments } from '@smithy/types';
import { storedDataInvalid } from '../contract/problem.ts';
import { keyPrefixOf, locateFile, PRESIGNED_URL_MINUTES, parseS3Uri } from '../domain/s3-uri.ts';
import type { Environment } from '../platform/environment.ts';
import type { fileAttributes } from './items.ts';

type FileField = (typeof fileAttributes)[number];

const DISPOSITION = 'response-content-disposition';
/**
 * Makes S3 send these headers, so that browsers never render an upload as a web page. `<video>` plays despite
 * `attachment`.
 */
const queries: Record<FileField, Record<string, string>> = {
  resume_url: { [DISPOSITION]: 'inline', 'response-content-type': 'application/pdf' },
  video_url: { [DISPOSITION]: 'attachment' },
};

/**
 * Presigns an S3 URI, without a request to AWS; returns anything else unchanged.
 * @throws Problem `stored_data_invalid` if `filesBucket` is not set, or the file is not one of the tenant's; the SDK's
 *   error if there are no credentials.
 */
export async function resolveFileUrl(
  field: FileField,
  uri: unknown,
  tenant: string,
  { files, region, tenantClaim }: Pick<Environment, 'files' | 'region' | 'tenantClaim'>,
  now: () => Date,
): Promise<unknown> {
  if (typeof uri !== 'string' || parseS3Uri(uri) === undefined) return uri;
  if (files === undefined) {
    throw storedDataInvalid('application', `${field} is in S3, but filesBucket is not set`);
  }
  const { buckets, url } = files;
  const keyPrefix = tenantClaim === undefined ? '' : keyPrefixOf(tenant);
  const { location, fault } = locateFile(uri, { buckets, keyPrefix });
  if (location === undefined) throw storedDataInvalid('application', `${field} ${fault}`);
  const times = { signingDate: now(), expiresIn: 60 * PRESIGNED_URL_MINUTES };
  const address = `${url.replace('*', location.bucket)}/${escapeUriPath(location.key)}`;
  return presignedUrl(address, queries[field], region, times);
}

const PAYLOAD_HASH = 'x-amz-content-sha256';

/**
 * For GET requests (Amazon S3, "Authenticating Requests: Using Query Parameters").
 * @param url percent-encoded as the SDK encodes URLs.
 */
export async function presignedUrl(
  url: string,
  query: Record<string, string>,
  region: string,
  times: RequestPresigningArguments,
): Promise<string> {
  const { protocol, host, hostname, pathname: path } = new URL(url);
  const credentials = fromEnv();
  const settings = { credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false };
  // The signer needs this header, but must not sign it: the client's GET request does not have it.
  const headers = { host, [PAYLOAD_HASH]: 'UNSIGNED-PAYLOAD' };
  const unsent = new Set([PAYLOAD_HASH]);
  const request = { method: 'GET', protocol, hostname, path, query, headers };
  const options = { ...times, unhoistableHeaders: unsent, unsignableHeaders: unsent };
  const signed = await new SignatureV4(settings).presign(request, options);
  return `${url}?${buildQueryString({ ...signed.query })}`;
}
