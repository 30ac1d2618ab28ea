import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4, type SignatureV4Init } from '@smithy/signature-v4';
import type { GatewayResponse, ServePage } from './gateway.ts';

export const FILES_PATH = '/files';

/** Presigned URLs do not sign this header. */
const UNSIGNED = 'x-amz-content-sha256';
const unsigned = new Set([UNSIGNED]);
/** A week, S3's maximum. */
const LONGEST_S = 604_800;

/**
 * Serves `folder` only to holders of a presigned URL, as S3 does:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 * @param signer the functions' credentials and region.
 */
export function serveFiles(
  folder: string,
  signer: Pick<SignatureV4Init, 'region' | 'credentials'>,
): ServePage {
  const service = { service: 's3', sha256: Sha256, uriEscapePath: false };
  const signature = new SignatureV4({ ...signer, ...service });
  return async ({ method, url = '', headers: { host = '' } }) => {
    if (method !== 'GET' || !url.startsWith(`${FILES_PATH}/`)) return undefined;
    const [path = '', parameters] = url.split('?');
    const query = Object.fromEntries(new URLSearchParams(parameters));
    const signedAt = timeOf(query['X-Amz-Date'] ?? '');
    const expiresIn = Number(query['X-Amz-Expires']);
    const isValid = expiresIn <= LONGEST_S && Date.now() < signedAt + expiresIn * 1000;
    if (!isValid) return failure(403, 'AccessDenied');
    const headers = { [UNSIGNED]: 'UNSIGNED-PAYLOAD', host };
    const request = { method, protocol: 'http:', hostname: host, path, query, headers };
    const times = { signingDate: new Date(signedAt), expiresIn };
    const options = { ...times, unhoistableHeaders: unsigned, unsignableHeaders: unsigned };
    const signed = await signature.presign(request, options);
    if (!isDeepStrictEqual({ ...signed.query }, query))
      return failure(403, 'SignatureDoesNotMatch');
    const file = join(folder, decodeURIComponent(path.slice(FILES_PATH.length)));
    const isInside = file.startsWith(folder + sep);
    const body = isInside ? await readFile(file).catch(() => undefined) : undefined;
    if (body === undefined) return failure(404, 'NoSuchKey');
    return {
      statusCode: 200,
      headers: {
        'content-type': query['response-content-type'] ?? 'application/octet-stream',
        'content-disposition': query['response-content-disposition'] ?? 'inline',
      },
      body,
    };
  };
}

/** `X-Amz-Date` in milliseconds since 1970; NaN if malformed. */
const timeOf = (text: string) =>
  Date.parse(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));

const failure = (statusCode: number, code: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/xml' },
  body: `<Error><Code>${code}</Code></Error>`,
});
