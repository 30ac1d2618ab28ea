// The inside of the stub's process: `start.ts` starts it. A process of its own, so that its work is
// in nobody's measurement.
import { once } from 'node:events';
import { createServer } from 'node:https';
import { makeCertificate } from '../../support/certificate.ts';
import { portOf } from '../../support/server.ts';
import { answerDatabase } from './database.ts';
import { makeIssuer } from './issuer.ts';
import type { StubState } from './start.ts';

const { certificate, key } = makeCertificate();

/** Two origins, as DynamoDB and an issuer have: a function connects to each of them. */
const [database, issuer] = await Promise.all([listen(), listen()]);
const { tokens, jwksUri, answer } = await makeIssuer(issuer.url);
let requests = 0;
database.server.on('request', (request, response) => {
  requests += 1;
  void answerDatabase(request, response);
});
issuer.server.on('request', answer);

const state: StubState = {
  databaseUrl: database.url,
  issuerUrl: issuer.url,
  jwksUri,
  certificate,
  tokens,
};
process.on('message', () => process.send?.(requests));
process.on('disconnect', () => process.exit());
process.send?.(state);

async function listen() {
  // Connections outlast the turns of other contenders, as a service's do.
  const server = createServer({ cert: certificate, key, keepAliveTimeout: 600_000 });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return { server, url: `https://localhost:${portOf(server)}` };
}
