import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'node:https';
import { json } from 'node:stream/consumers';
import { Rejected, readHandler, updateHandler, variable } from './http.ts';
import { applicationOf, applicationRead, statusUpdate } from './items.ts';
import { keysByHttps, verifier } from './token.ts';

const region = variable('AWS_REGION');
const url = new URL(variable('AWS_ENDPOINT_URL_DYNAMODB'));
const agent = new Agent({ keepAlive: true });
const subjectOf = verifier(keysByHttps());

export const getApplication = /* @__PURE__ */ readHandler(subjectOf, async (job, candidate) => {
  const { status, document } = await send('GetItem', applicationRead(job, candidate));
  if (status !== 200) throw new Error(`DynamoDB answered ${status}.`);
  return applicationOf(document.Item && plain(document.Item));
});

export const updateJobStatus = /* @__PURE__ */ updateHandler(subjectOf, async (change) => {
  const { status, document } = await send('UpdateItem', statusUpdate(change));
  const { Attributes: written, Item: existing, __type: type } = document;
  if (status !== 200 && !String(type).endsWith('#ConditionalCheckFailedException')) {
    throw new Error(`DynamoDB answered ${status}.`);
  }
  const job = written ?? existing;
  if (job === undefined) throw new Rejected(404, 'There is no job.');
  return plain(job).version;
});

const SIGNED = 'host;x-amz-date;x-amz-security-token;x-amz-target';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();

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
async function send(operation: string, input: object) {
  const body = JSON.stringify(input);
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const target = `DynamoDB_20120810.${operation}`;
  const token = variable('AWS_SESSION_TOKEN');
  const scope = `${date.slice(0, 8)}/${region}/dynamodb/aws4_request`;
  const signed = `host:${url.host}\nx-amz-date:${date}\nx-amz-security-token:${token}\nx-amz-target:${target}\n`;
  const canonical = `POST\n/\n\n${signed}\n${SIGNED}\n${hash(body)}`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash(canonical)}`;
  const signature = hmac(signingKey(scope), text).toString('hex');
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${variable('AWS_ACCESS_KEY_ID')}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amz-date': date,
    'x-amz-security-token': token,
    'x-amz-target': target,
  };
  return new Promise<{ status: number | undefined; document: Answer }>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      const status = response.statusCode;
      json(response).then((document) => resolve({ status, document: document as Answer }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** A value as DynamoDB writes it: an object whose one member is named by the type. */
type Attribute = Record<string, unknown>;
type Attributes = Record<string, Attribute>;
type Answer = { Item?: Attributes; Attributes?: Attributes; __type?: string };

/** The attributes of an item as plain values. */
const plain = (attributes: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [name, plainValue(attribute)]),
  );

function plainValue({ S, N, BOOL, L, M }: Attribute): unknown {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (BOOL !== undefined) return BOOL;
  if (Array.isArray(L)) return L.map(plainValue);
  return M === undefined ? null : plain(Object(M));
}
