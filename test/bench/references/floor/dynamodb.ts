import { variable } from '../http.ts';
import { crypto } from './builtins.ts';
import { type Answer, send } from './request.ts';

const region = variable('AWS_REGION');
const url = new URL(
  process.env.AWS_ENDPOINT_URL_DYNAMODB ?? `https://dynamodb.${region}.amazonaws.com`,
);
const SIGNED = 'host;x-amz-date;x-amz-security-token;x-amz-target';

const hash = (text: string) => crypto.createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  crypto.createHmac('sha256', key).update(text).digest();

let signing = { scope: '', key: Buffer.alloc(0) };

/** The key that signs on a day; it is the same for all requests of that day. */
function signingKey(scope: string): Buffer {
  if (signing.scope !== scope) {
    const secret = Buffer.from(`AWS4${variable('AWS_SECRET_ACCESS_KEY')}`);
    signing = { scope, key: scope.split('/').reduce(hmac, secret) };
  }
  return signing.key;
}

/** Sends an operation to DynamoDB, signed with AWS Signature Version 4. */
export function call(operation: string, input: object): Promise<Answer> {
  const body = JSON.stringify(input);
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const target = `DynamoDB_20120810.${operation}`;
  const token = variable('AWS_SESSION_TOKEN');
  const scope = `${date.slice(0, 8)}/${region}/dynamodb/aws4_request`;
  const headers = `host:${url.host}\nx-amz-date:${date}\nx-amz-security-token:${token}\nx-amz-target:${target}\n`;
  const request = `POST\n/\n\n${headers}\n${SIGNED}\n${hash(body)}`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash(request)}`;
  const signature = hmac(signingKey(scope), text).toString('hex');
  const options = {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${variable('AWS_ACCESS_KEY_ID')}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(body),
      'x-amz-date': date,
      'x-amz-security-token': token,
      'x-amz-target': target,
    },
  };
  return send(url, options, body);
}
