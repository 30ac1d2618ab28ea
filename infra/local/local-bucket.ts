import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Sha256 } from '@smithy/core/checksum';
import { MAX_PRESIGNED_TTL, SignatureV4, type SignatureV4Init } from '@smithy/signature-v4';
import type { GatewayResponse, Pages } from './gateway.ts';
import { decodePath } from './gateway-event.ts';

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
 * Serves a folder, in which a file is an object and its path the key, like a bucket of S3 to those who have a
 * presigned URL (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 */
export function serveFiles(
  folder: string,
  signer: Pick<SignatureV4Init, 'region' | 'credentials'>,
): Pages {
  const service = { service: 's3', sha256: Sha256, uriEscapePath: false };
  const signature = new SignatureV4({ ...signer, ...service });
  return async ({ method = '', url = '', headers: { host = '', range } }) => {
    if (!/^(GET|HEAD)$/.test(method) || !url.startsWith(`${FILES_PATH}/`)) return undefined;
    const [path = '', ...parameters] = url.split('?');
    const key = decodePath(path.slice(FILES_PATH.length + 1));
    if (key === undefined) return failure(400, 'InvalidURI', "Couldn't parse the specified URI.");
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
      return failure(403, 'SignatureDoesNotMatch', 'The URL was altered, or not signed here.');
    }
    const ageMs = Date.now() - signedAt;
    if (ageMs < 0) return failure(403, 'AccessDenied', 'Request is not yet valid');
    if (ageMs >= expiresIn * 1000) return failure(403, 'AccessDenied', 'Request has expired');
    const body = await objectOf(folder, key);
    if (!body) return failure(404, 'NoSuchKey', 'The specified key does not exist.');
    const type = MEDIA_TYPES[extname(key).toLowerCase()] ?? 'application/octet-stream';
    const disposition = query['response-content-disposition'];
    return partOf(body, range, {
      'accept-ranges': 'bytes',
      'content-type': query['response-content-type'] ?? type,
      ...(disposition !== undefined && { 'content-disposition': disposition }),
    });
  };
}

/** The file whose path is the key, to the letter; undefined if there is none, or if it is not a regular file. */
async function objectOf(folder: string, key: string): Promise<Buffer | undefined> {
  try {
    const file = (await realpath(folder)) + sep + key.replaceAll('/', sep);
    const isObject = (await realpath(file)) === file && (await stat(file)).isFile();
    return isObject ? await readFile(file) : undefined;
  } catch {
    // No file, or a name that no file can have.
    return undefined;
  }
}

/** The part of an object that a request asks for; of several ranges, as in S3, all (RFC 9110, section 14). */
function partOf(
  body: Buffer,
  range: string | undefined,
  headers: GatewayResponse['headers'],
): GatewayResponse {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  const isInvalid = first + last === '' || (last !== '' && Number(first) > Number(last));
  if (isInvalid) return { statusCode: 200, headers, body };
  const start = first === '' ? Math.max(0, body.length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? body.length : Math.min(Number(last) + 1, body.length);
  if (start >= end) return failure(416, 'InvalidRange', 'The requested range is not satisfiable');
  const part = { 'content-range': `bytes ${start}-${end - 1}/${body.length}` };
  return { statusCode: 206, headers: { ...headers, ...part }, body: body.subarray(start, end) };
}

/** A time as signatures have it, in milliseconds since 1970; NaN if it is not one. */
const timeOf = (text: string) =>
  Date.parse(text.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));

/** An error as S3 words it (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
const failure = (statusCode: number, code: string, message: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});
