import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { portOf } from '../../../support/server.ts';

const TYPE = { 'content-type': 'application/x-amz-json-1.0' };

/**
 * How many items a call processes, or the name of the error that it is answered with. It is told the
 * number of the call, from 1; batches and updates of single items are counted apart.
 */
type Capacity = (call: number) => number | string;

/** A real HTTP server that passes to the embedded database what its capacity allows of each batch. */
export async function startBusyDatabase(capacity: Capacity) {
  const batches: number[] = [];
  let updates = 0;
  async function update(request: IncomingMessage, response: ServerResponse, input: unknown) {
    updates += 1;
    const allowed = capacity(updates);
    if (typeof allowed === 'string') return refuse(response, allowed);
    if (allowed === 0) return refuse(response, 'ThrottlingException');
    response.writeHead(200, TYPE).end(await forward(request, input));
  }
  const bytes: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const input = JSON.parse(body);
    if (input.RequestItems === undefined) return update(request, response, input);
    const [[table, items]] = Object.entries<unknown[]>(input.RequestItems) as [[string, unknown[]]];
    batches.push(items.length);
    bytes.push(Buffer.byteLength(body));
    const allowed = capacity(batches.length);
    if (typeof allowed === 'string') return refuse(response, allowed);
    // From the end, so that what was written is not what stood first.
    const left = items.slice(0, Math.max(0, items.length - allowed));
    const passed = items.slice(left.length);
    if (passed.length > 0) await forward(request, { RequestItems: { [table]: passed } });
    response.writeHead(200, TYPE);
    response.end(JSON.stringify({ UnprocessedItems: left.length > 0 ? { [table]: left } : {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${portOf(server)}`;
  // Without the tries of the SDK itself, each of which waits longer than a test should.
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1 });
  return {
    client: DynamoDBDocumentClient.from(client),
    /** How many updates of single items came. */
    get updates() {
      return updates;
    },
    /** The number of items, and of bytes, of each batch. */
    batches,
    bytes,
    stop() {
      client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

function refuse(response: ServerResponse, name: string) {
  response.writeHead(name === 'InternalServerError' ? 500 : 400, TYPE);
  response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}` }));
}

async function forward({ headers }: IncomingMessage, input: unknown): Promise<string> {
  const answer = await fetch(inject('databaseEndpoint'), {
    method: 'POST',
    headers: {
      ...TYPE,
      'x-amz-target': String(headers['x-amz-target']),
      'x-amz-date': String(headers['x-amz-date']),
      authorization: String(headers.authorization),
    },
    body: JSON.stringify(input),
  });
  if (!answer.ok) throw new Error(`The embedded database answered ${answer.status}.`);
  return answer.text();
}
