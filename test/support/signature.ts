import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const credentials = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLEBENCH',
  AWS_SECRET_ACCESS_KEY: 'example-secret-of-the-benchmark',
  AWS_SESSION_TOKEN: 'example-session-token-of-the-benchmark',
} as const;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8}\/[^/]+\/dynamodb\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/;

export function isSigned({ headers, method, url }: IncomingMessage, body: string): boolean {
  const [, scope = '', names = '', signature] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (headers['x-amz-security-token'] !== credentials.AWS_SESSION_TOKEN) return false;
  const canonicalHeaders = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const request = [method, url, '', canonicalHeaders.join(''), names, hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(request)].join('\n');
  return signature === hmac(signingKey(scope), text).toString('hex');
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();

const signingKey = (scope: string) =>
  scope.split('/').reduce(hmac, Buffer.from(`AWS4${credentials.AWS_SECRET_ACCESS_KEY}`));
