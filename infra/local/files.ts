import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentity } from '@smithy/types';
import type { GatewayResponse, Pages } from './gateway.ts';

/** The path under which the files lie. */
export const FILES_PATH = '/files';

/** The most seconds that a link may be valid: seven days. */
const LONGEST_S = 604_800;
/** S3 has the media type from the upload. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.mp4': 'video/mp4',
};
/** Stands for a body that is not part of the signature, as in every query-signed request to S3. */
const UNSIGNED = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
const unsigned = new Set(Object.keys(UNSIGNED));

type Query = Readonly<Record<string, string>>;

export interface FilesOptions {
  /** The folder in which each object is a file, named by its key. */
  folder: string;
  region: string;
  credentials: AwsCredentialIdentity;
}

/**
 * Serves a folder like a bucket of S3 to those who have a signed link
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 */
export function serveFiles({ folder, region, credentials }: FilesOptions): Pages {
  const service = { service: 's3', region, uriEscapePath: false };
  const signature = new SignatureV4({ ...service, credentials, sha256: Sha256 });

  /** Signs the request again, and compares the whole query. */
  async function isSigned(path: string, query: Query, { signedAt, seconds }: Link, host = '') {
    const headers = { ...UNSIGNED, host };
    const signed = await signature.presign(
      { method: 'GET', protocol: 'http:', hostname: host, path, query, headers },
      {
        signingDate: new Date(signedAt),
        expiresIn: seconds,
        unhoistableHeaders: unsigned,
        unsignableHeaders: unsigned,
      },
    );
    return isDeepStrictEqual({ ...signed.query }, query);
  }

  return async ({ method, url = '', headers: { host } }) => {
    if (method !== 'GET' || !url.startsWith(`${FILES_PATH}/`)) return undefined;
    const [path = '', ...parameters] = url.split('?');
    const query = Object.fromEntries(new URLSearchParams(parameters.join('?')));
    const link = linkOf(query);
    if (link === undefined) return failure(403, 'AccessDenied', 'Access Denied');
    if (!(await isSigned(path, query, link, host))) {
      return failure(403, 'SignatureDoesNotMatch', 'The link is altered, or was not signed here.');
    }
    if (Date.now() >= link.signedAt + link.seconds * 1000) {
      return failure(403, 'AccessDenied', 'Request has expired');
    }
    const file = join(folder, decodeURIComponent(path.slice(FILES_PATH.length + 1)));
    // A folder is no object, and neither is a name that no file can have.
    const body = file.startsWith(folder + sep) && (await readFile(file).catch(() => undefined));
    if (!body) return failure(404, 'NoSuchKey', 'The specified key does not exist.');
    const type = MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
    const headers = { 'content-type': type, 'content-disposition': 'inline' };
    return { statusCode: 200, headers, body };
  };
}

/** What a link says of its time. */
interface Link {
  /** In milliseconds since 1970. */
  signedAt: number;
  /** How long it is valid. */
  seconds: number;
}

/** @returns undefined if the query is not that of a signed link. */
function linkOf(query: Query): Link | undefined {
  const { 'X-Amz-Date': date = '', 'X-Amz-Expires': expires = '' } = query;
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3T$4:$5:$6');
  const link = { signedAt: Date.parse(iso), seconds: Number(expires || Number.NaN) };
  return link.signedAt >= 0 && link.seconds <= LONGEST_S ? link : undefined;
}

/** An error as S3 words it (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
const failure = (statusCode: number, code: string, message: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});
