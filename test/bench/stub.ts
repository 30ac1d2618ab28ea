import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { makeCertificate } from '../support/certificate.ts';
import { nowInSeconds, signingKey, TestIssuer } from '../support/issuer.ts';
import { applicationItem, fullApplication, jobItem } from '../support/items.ts';
import { portOf } from '../support/server.ts';
import { certificateFile } from './contenders.ts';

const DAY_S = 86_400;

export type Stub = Awaited<ReturnType<typeof startStub>>;

export async function startStub() {
  const { certificate, key } = makeCertificate();
  writeFileSync(certificateFile, certificate);
  // Connections stay open, like DynamoDB's, while other contenders take their turns.
  const options = { cert: certificate, key, keepAliveTimeout: 600_000 };
  const listen = async (listener?: RequestListener) => {
    const server = createServer(options, listener).listen(0, 'localhost');
    await once(server, 'listening');
    return { server, url: `https://localhost:${portOf(server)}` };
  };
  const { url: databaseUrl } = await listen(respondAsDatabase);
  const { server, url: issuerUrl } = await listen();
  const { tokens, jwks } = await makeIssuer(issuerUrl);
  server.on('request', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(jwks));
  });
  return { databaseUrl, issuerUrl, tokens };
}

async function makeIssuer(url: string) {
  const issuer = await TestIssuer.start();
  const [key, otherKey] = await Promise.all([signingKey('RS256'), signingKey('RS256')]);
  const mint = (claims: Record<string, unknown> = {}, signer = key) => {
    const exp = nowInSeconds() + DAY_S;
    return issuer.mint({ iss: url, exp, ...claims }, { kid: key.kid }, signer);
  };
  const tokens = {
    valid: await mint(),
    expired: await mint({ exp: nowInSeconds() - DAY_S }),
    forged: await mint({}, otherKey),
    withoutScope: await mint({ scope: 'openid' }),
  };
  return { tokens, jwks: { keys: [key.jwk] } };
}

const sentence =
  'Plans and builds the pipelines that bring the positions of trucks, orders and depots together; ' +
  'answers for their quality and their cost; teaches colleagues how to read them.';

/** Realistic in size: about 3 KB in DynamoDB. */
const fields = {
  ...fullApplication,
  summary: `${sentence} ${sentence}`,
  experience: [0, 1, 2, 3].map(() => ({
    ...fullApplication.experience[0],
    description: sentence,
  })),
  evaluations: [0, 1, 2].map(() => ({ ...fullApplication.evaluations[0], comment: sentence })),
};
const application = applicationItem({}, fields);
const job = jobItem({});
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

function responseTo(body: string): object {
  const { Key, ReturnConsumedCapacity, UpdateExpression } = JSON.parse(body);
  const isKeyOf = ({ pk, sk }: { pk: string; sk: string }) => Key.pk.S === pk && Key.sk.S === sk;
  if (UpdateExpression !== undefined) return isKeyOf(job) ? updated : refused;
  const found = isKeyOf(application) && { Item: marshall(application) };
  return { ...found, ...(ReturnConsumedCapacity === 'TOTAL' && { ConsumedCapacity }) };
}

const respondAsDatabase: RequestListener = async (request, response) => {
  const result = responseTo(await text(request));
  const body = JSON.stringify(result);
  response.writeHead(result === refused ? 400 : 200, {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': 'EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE00',
    'x-amz-crc32': crc32(body),
  });
  response.end(body);
};
