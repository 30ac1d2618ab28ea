import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIENCE, TestIssuer } from '../support/issuer.ts';
import { portOf } from '../support/server.ts';
import { partsOf, person, tracesOf } from './personal-data/canaries.ts';
import { claimsOf } from './personal-data/exposed-credentials.ts';
import { unread } from './personal-data/exposed-requests.ts';
import { awsVariables, FunctionProcess } from './personal-data/function-process.ts';
import { printCounts } from './random-cases.ts';

const who = person(1);
const quoted = JSON.stringify(who);

/** What an issuer may answer in place of its keys, every one of them with personal data. */
const answers: Readonly<Record<string, RequestListener>> = {
  'an error page': (_, response) => response.writeHead(500).end(`<html>${quoted}`),
  'something else than JSON': (_, response) => response.end(`${who.email} ${quoted}`),
  'half of its JSON': (_, response) => response.end(quoted.slice(0, -9)),
  'a list': (_, response) => response.end(`[${quoted}]`),
  'no keys': (_, response) => response.end(`{"keys":[${quoted}]}`),
  'damaged keys': (_, response) =>
    response.end(
      JSON.stringify({ keys: [{ kty: 'EC', crv: 'P-256', kid: who.email, x: who.name, y: '' }] }),
    ),
  'a redirect': (_, response) => response.writeHead(302, { Location: who.signedUrl }).end(),
  'more than it may': (_, response) => response.end(quoted.padEnd(300_000)),
  'a broken connection': (_, response) => {
    response.write(quoted, () => response.destroy());
  },
  'headers that are no HTTP': ({ socket }) => socket.end(`HTTP/1.1 200 ${who.email}\n${quoted}`),
};

/** Addresses of keys that hold credentials, which `fetch` refuses and quotes, or that lead nowhere. */
const addresses = [
  `https://user:${encodeURIComponent(who.secret)}@issuer.example.com/keys`,
  `http://127.0.0.1:1/${encodeURIComponent(who.secret)}?email=${who.email}`,
];

describe('personal data that the issuer answers with', () => {
  let issuer: TestIssuer;
  const server = createServer();
  const counts = { answers: 0, 'bytes of output': 0, hits: 0 };
  beforeAll(async () => {
    issuer = await TestIssuer.start();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    await issuer.stop();
    server.closeAllConnections();
    server.close();
    printCounts('personal data of the issuer', counts);
  });

  /** Reads with a good token, whose keys are at `jwksUri`, and searches all that was written. */
  async function readWithKeysAt(jwksUri: string): Promise<void> {
    const token = await issuer.mint(claimsOf(who));
    const running = new FunctionProcess('get-application', {
      ...awsVariables(),
      TABLE_NAME: 'none',
      ISSUER: issuer.url,
      AUDIENCE,
      JWKS_URI: jwksUri,
    });
    await running.started();
    const pathParameters = { id: who.email, candidate_id: who.phone };
    const reply = await running.call({ token, pathParameters, ...unread(who) });
    await running.end();
    const secrets = [...Object.values(who), ...partsOf(token)];
    const traces = tracesOf(secrets, running.stdout + running.stderr + JSON.stringify(reply));
    counts.answers += 1;
    counts['bytes of output'] += running.stdout.length + running.stderr.length;
    counts.hits += traces.length;
    expect(traces).toEqual([]);
    expect(running.stderr).toBe('');
    expect(running.lines).toMatchObject([
      { outcome: 'unavailable', failure: { cause: { name: expect.stringMatching(/Error$/) } } },
    ]);
  }

  it.each(Object.keys(answers))('is in neither answer nor log: %s', async (name) => {
    server.removeAllListeners('request').on('request', answers[name] as RequestListener);
    await readWithKeysAt(`http://127.0.0.1:${portOf(server)}/keys`);
  });

  it.each(addresses)('is in neither answer nor log: keys at %s', readWithKeysAt);
});
