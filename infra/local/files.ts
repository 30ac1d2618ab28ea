import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Sha256 } from '@smithy/core/checksum';
import { MAX_PRESIGNED_TTL, SignatureV4, type SignatureV4Init } from '@smithy/signature-v4';
import type { GatewayResponse, Pages } from './gateway.ts';

/** The path under which the files lie. */
export const FILES_PATH = '/files';

/** S3 has the media type from the upload. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.mp4': 'video/mp4',
};
/** The signature covers neither this header nor a body, as in every query-signed request to S3. */
const UNSIGNED = 'x-amz-content-sha256';
const unsigned = new Set([UNSIGNED]);

/**
 * Serves a folder, in which a file is an object and its path the key, like a bucket of S3 to those who have
 * a signed link (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 */
export function serveFiles(
  folder: string,
  signer: Pick<SignatureV4Init, 'region' | 'credentials'>,
): Pages {
  const service = { service: 's3', sha256: Sha256, uriEscapePath: false };
  const signature = new SignatureV4({ ...signer, ...service });
  return async ({ method, url = '', headers: { host = '' } }) => {
    if (method !== 'GET' || !url.startsWith(`${FILES_PATH}/`)) return undefined;
    const [path = '', ...parameters] = url.split('?');
    const query = Object.fromEntries(new URLSearchParams(parameters.join('?')));
    const signedAt = timeOf(query['X-Amz-Date'] ?? '');
    const expiresIn = Number(query['X-Amz-Expires']);
    if (!(signedAt >= 0 && expiresIn <= MAX_PRESIGNED_TTL)) {
      return failure(403, 'AccessDenied', 'Access Denied');
    }
    const headers = { [UNSIGNED]: 'UNSIGNED-PAYLOAD', host };
    const request = { method, protocol: 'http:', hostname: host, path, query, headers };
    const times = { signingDate: new Date(signedAt), expiresIn };
    const options = { ...times, unhoistableHeaders: unsigned, unsignableHeaders: unsigned };
    const signed = await signature.presign(request, options);
    if (!isDeepStrictEqual({ ...signed.query }, query)) {
      return failure(403, 'SignatureDoesNotMatch', 'The link was altered, or not signed here.');
    }
    if (Date.now() >= signedAt + expiresIn * 1000) {
      return failure(403, 'AccessDenied', 'Request has expired');
    }
    const file = join(folder, decodeURIComponent(path.slice(FILES_PATH.length + 1)));
    // A folder is no object, and neither is a name that no file can have.
    const body = file.startsWith(folder + sep) && (await readFile(file).catch(() => undefined));
    if (!body) return failure(404, 'NoSuchKey', 'The specified key does not exist.');
    const type = MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
    const own = { 'content-type': type, 'content-disposition': 'inline' };
    return { statusCode: 200, headers: own, body };
  };
}

/** A time as signatures have it, in milliseconds since 1970; NaN if it is none. */
const timeOf = (text: string) =>
  Date.parse(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));

/** An error as S3 words it (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
const failure = (statusCode: number, code: string, message: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});
