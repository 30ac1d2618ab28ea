import { fromEnv } from '@aws-sdk/credential-provider-env';
import { Sha256 } from '@smithy/core/checksum';
import { buildQueryString, escapeUriPath } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { RequestPresigningArguments } from '@smithy/types';
import { Problem } from '../contract/problem.ts';
import { PRESIGNED_URL_MINUTES, parseS3Uri } from '../domain/s3-uri.ts';
import type { Environment } from '../runtime/env.ts';

/**
 * What the response has in place of a stored address: for `s3://BUCKET/KEY` of the deployment's bucket a link,
 * which is signed here, without a request; the address itself for all others.
 * @throws Problem `internal` if the deployment has no bucket; the SDK's error if there are no credentials.
 */
export async function linkTo(
  address: unknown,
  { files, region }: Pick<Environment, 'files' | 'region'>,
  now: () => Date,
): Promise<unknown> {
  if (typeof address !== 'string' || !address.startsWith('s3://')) return address;
  if (files === undefined) {
    const detail = 'A stored application has a file in S3: set the context key filesBucket.';
    throw new Problem('internal', { detail });
  }
  const file = parseS3Uri(address);
  if (file?.bucket !== files.bucket) return address;
  const query = { 'response-content-disposition': 'inline' };
  const times = { signingDate: now(), expiresIn: 60 * PRESIGNED_URL_MINUTES };
  return presignedUrl(`${files.url}/${escapeUriPath(file.key)}`, query, region, times);
}

const PAYLOAD_HASH = 'x-amz-content-sha256';

/**
 * Signs the GET of an object with the credentials of the environment (Amazon S3, "Authenticating Requests:
 * Using Query Parameters").
 * @param address percent-encoded as the SDK does it.
 */
export async function presignedUrl(
  address: string,
  query: Record<string, string>,
  region: string,
  times: RequestPresigningArguments,
): Promise<string> {
  const { protocol, host, hostname, pathname: path } = new URL(address);
  const credentials = fromEnv();
  const settings = { credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false };
  // Only for the signer: the request will not have this header.
  const headers = { host, [PAYLOAD_HASH]: 'UNSIGNED-PAYLOAD' };
  const unsent = new Set([PAYLOAD_HASH]);
  const request = { method: 'GET', protocol, hostname, path, query, headers };
  const options = { ...times, unhoistableHeaders: unsent, unsignableHeaders: unsent };
  const signed = await new SignatureV4(settings).presign(request, options);
  return `${address}?${buildQueryString({ ...signed.query })}`;
}
