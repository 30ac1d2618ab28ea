import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { SignJWT } from 'jose';
import { makeCertificate } from '../support/certificate.ts';
import { nowInSeconds, signingKey } from '../support/issuer.ts';
import { applicationItem, fullApplication, jobItem } from '../support/items.ts';
import { portOf } from '../support/server.ts';
import { certificateFile } from './contenders.ts';

export const AUDIENCE = 'recruitment-bench';
const DAY_S = 86_400;

/** DynamoDB and a token issuer over TLS, as two origins. Measurements are of other processes. */
export type Stub = Awaited<ReturnType<typeof startStub>>;

export async function startStub() {
  const { certificate, key } = makeCertificate();
  writeFileSync(certificateFile, certificate);
  // Connections stay open while other contenders have their turn, as a service's do.
  const options = { cert: certificate, key, keepAliveTimeout: 600_000 };
  const listen = async (answer?: RequestListener) => {
    const server = createServer(options, answer).listen(0, 'localhost');
    await once(server, 'listening');
    return { server, url: `https://localhost:${portOf(server)}` };
  };
  const { url: databaseUrl } = await listen(answerDatabase);
  const { server, url: issuerUrl } = await listen();
  const { tokens, jwks } = await makeIssuer(issuerUrl);
  server.on('request', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(jwks));
  });
  return { databaseUrl, issuerUrl, tokens };
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
    withoutScope: await mint({ scope: 'openid' }),
  };
  return { tokens, jwks: { keys: [{ ...key.jwk, kid: 'key-1' }] } };
}

const sentence =
  'Plans and builds the pipelines that bring the positions of trucks, orders and depots together; ' +
  'answers for their quality and their cost; teaches colleagues how to read them.';

/** An application of the size that real ones have: about 3 KB in DynamoDB. */
const fields = {
  ...fullApplication,
  summary: `${sentence} ${sentence}`,
  experience: [0, 1, 2, 3].map(() => ({
    ...fullApplication.experience[0],
    description: sentence,
  })),
  evaluations: [0, 1, 2].map(() => ({ ...fullApplication.evaluations[0], comment: sentence })),
};
const files = {
  resume_url: 's3://example-files/default/c-2/resume.pdf',
  video_url: 's3://example-files/default/c-2/video.mp4',
};
const applications = [
  applicationItem({}, fields),
  applicationItem({ candidate: 'c-2' }, { ...fields, ...files }),
];
const job = jobItem({});
/** As if the job were in its first state at every update. */
const updated = {
  Attributes: marshall({
    status: 'published',
    previous_status: job.status,
    version: job.version + 1,
    status_changed_at: '2026-09-14T09:03:09.045Z',
    status_changed_by: '8c1f7c56-9a04-4b0c-b0c7-2f6c1d6a7e90',
    last_change_actor: '8c1f7c56-9a04-4b0c-b0c7-2f6c1d6a7e90',
    last_change_id: '00000000-0000-4000-8000-000000000001',
    fence: 1_789_376_589_045,
  }),
};
const refused = { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' };
const ConsumedCapacity = { TableName: 'recruitment', CapacityUnits: 0.5 };

/** The answer to a request for GetItem or UpdateItem. */
function answerOf(body: string): object {
  const { Key, ReturnConsumedCapacity, UpdateExpression } = JSON.parse(body);
  const isKeyOf = ({ pk, sk }: { pk: string; sk: string }) => Key.pk.S === pk && Key.sk.S === sk;
  if (UpdateExpression !== undefined) return isKeyOf(job) ? updated : refused;
  const application = applications.find(isKeyOf);
  const found = application && { Item: marshall(application) };
  return { ...found, ...(ReturnConsumedCapacity === 'TOTAL' && { ConsumedCapacity }) };
}

/** Answers as DynamoDB does, with its checksum and its errors. */
const answerDatabase: RequestListener = async (request, response) => {
  const answer = answerOf(await text(request));
  const body = JSON.stringify(answer);
  response.writeHead(answer === refused ? 400 : 200, {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': 'EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE00',
    'x-amz-crc32': crc32(body),
  });
  response.end(body);
};
