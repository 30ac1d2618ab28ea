import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { SignJWT } from 'jose';
import { applicationKey } from '../../functions/store/keys.ts';
import { makeCertificate } from '../support/certificate.ts';
import { nowInSeconds, signingKey } from '../support/issuer.ts';
import { portOf } from '../support/server.ts';
import { isSigned } from '../support/signature.ts';
import { applicationItems, JOB, storedJob } from './items.ts';

export const AUDIENCE = 'recruitment-bench';
const DAY_S = 86_400;

/** DynamoDB and a token issuer over TLS, as two origins. Measurements are of other processes. */
export type Stub = Awaited<ReturnType<typeof startStub>>;

export async function startStub() {
  const { certificate, key } = makeCertificate();
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-bench-'));
  /** The file of the certificate to trust. */
  const certificateFile = join(folder, 'certificate.pem');
  writeFileSync(certificateFile, certificate);
  // Connections stay open while other contenders have their turn, as a service's do.
  const options = { cert: certificate, key, keepAliveTimeout: 600_000 };
  const listen = async (answer?: RequestListener) => {
    const server = createServer(options, answer).listen(0, 'localhost');
    await once(server, 'listening');
    return { server, url: `https://localhost:${portOf(server)}` };
  };
  const database = await listen((request, response) => void answerDatabase(request, response));
  const issuer = await listen();
  const { tokens, answer } = await makeIssuer(issuer.url);
  issuer.server.on('request', answer);
  return {
    databaseUrl: database.url,
    issuerUrl: issuer.url,
    certificateFile,
    tokens,
    stop() {
      for (const { server } of [database, issuer]) {
        server.closeAllConnections();
        server.close();
      }
      rmSync(folder, { recursive: true });
    },
  };
}

/** Tokens that the issuer at `url` signed, by what a handler should make of them, and its JWKS. */
async function makeIssuer(url: string) {
  const [key, otherKey] = await Promise.all([signingKey('RS256'), signingKey('RS256')]);
  const now = nowInSeconds();
  const mint = (claims: Record<string, unknown> = {}, { privateKey } = key) =>
    new SignJWT({
      iss: url,
      aud: AUDIENCE,
      sub: '8c1f7c56-9a04-4b0c-b0c7-2f6c1d6a7e90',
      client_id: 'client-1',
      scope: 'openid applications:read jobs:write',
      iat: now,
      exp: now + DAY_S,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1', typ: 'at+jwt' })
      .sign(privateKey);
  const tokens = {
    valid: await mint(),
    expired: await mint({ exp: now - DAY_S }),
    forged: await mint({}, otherKey),
    foreign: await mint({ aud: 'another-service' }),
    withoutScope: await mint({ scope: 'openid' }),
  };
  /** The path says how many keys there are: `/jwks/10`. The one that signs is the last. */
  const answer: RequestListener = ({ url: path = '' }, response) => {
    const count = Number(path.split('/').at(-1));
    const kids = Array.from({ length: count }, (_, index) => `key-${count - index}`);
    const keys = kids.map((kid) => ({ ...key.jwk, kid }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys }));
  };
  return { tokens, answer };
}

/** What in a request to DynamoDB decides the answer. */
interface DatabaseRequest {
  Key: { pk: { S: string }; sk: { S: string } };
  ReturnConsumedCapacity?: string;
  UpdateExpression?: string;
  ExpressionAttributeValues?: Record<string, unknown>;
}

const pathOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;

/** The stored applications in DynamoDB's JSON, by their keys. */
const applications = new Map(
  [...applicationItems].map(([candidate, item]) => [
    pathOf(applicationKey('default', JOB, candidate)),
    marshall(item),
  ]),
);

function getItem(path: string, { ReturnConsumedCapacity: wanted }: DatabaseRequest) {
  const capacity = { ConsumedCapacity: { TableName: 'recruitment', CapacityUnits: 0.5 } };
  const item = applications.get(path);
  return { ...(item && { Item: item }), ...(wanted === 'TOTAL' && capacity) };
}

/** Every update applies to the job in its first state, so that the status always changes. */
function updateItem(path: string, { UpdateExpression: update = '', ...input }: DatabaseRequest) {
  if (path !== pathOf(storedJob)) return errorOf('ConditionalCheckFailedException');
  const { ExpressionAttributeValues: values = {} } = input;
  const written = [...update.matchAll(/#?(\w+) = (:\w+)/g)].map(([, name, value = '']) => [
    name,
    values[value],
  ]);
  const computed = {
    previous_status: { S: storedJob.status },
    version: { N: String(storedJob.version + 1) },
  };
  return { Attributes: { ...Object.fromEntries(written), ...computed } };
}

const errorOf = (type: string) => ({ __type: `com.amazonaws.dynamodb.v20120810#${type}` });

function answerOf(request: IncomingMessage, body: string) {
  if (!isSigned(request, body)) return errorOf('InvalidSignatureException');
  const input: DatabaseRequest = JSON.parse(body);
  const path = pathOf({ pk: input.Key.pk.S, sk: input.Key.sk.S });
  const isRead = request.headers['x-amz-target'] === 'DynamoDB_20120810.GetItem';
  return isRead ? getItem(path, input) : updateItem(path, input);
}

/** Answers GetItem and UpdateItem as DynamoDB does, with its checksum and its errors. */
async function answerDatabase(request: IncomingMessage, response: ServerResponse) {
  const document = answerOf(request, await text(request));
  const body = JSON.stringify(document);
  response.writeHead('__type' in document ? 400 : 200, {
    Server: 'Server',
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': 'EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE00',
    'x-amz-crc32': crc32(body),
  });
  response.end(body);
}
