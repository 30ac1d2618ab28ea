// DynamoDB and a token issuer over TLS, as two origins, in a process of their own, so that their work
// is in no measurement. `start.ts` starts it.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { makeCertificate } from '../../support/certificate.ts';
import { portOf } from '../../support/server.ts';
import { answerDatabase } from './database.ts';
import { makeIssuer } from './issuer.ts';
import type { StubState } from './start.ts';

const { certificate, key } = makeCertificate();

async function listen(answer: RequestListener) {
  // Connections stay open while other contenders have their turn, as a service's do.
  const server = createServer({ cert: certificate, key, keepAliveTimeout: 600_000 }, answer);
  await once(server.listen(0, 'localhost'), 'listening');
  return `https://localhost:${portOf(server)}`;
}

let answerIssuer: RequestListener = (_, response) => response.writeHead(503).end();
const databaseUrl = await listen((request, response) => void answerDatabase(request, response));
const issuerUrl = await listen((request, response) => answerIssuer(request, response));
const { tokens, answer } = await makeIssuer(issuerUrl);
answerIssuer = answer;

const state: StubState = { databaseUrl, issuerUrl, certificate, tokens };
process.on('disconnect', () => process.exit());
process.send?.(state);
