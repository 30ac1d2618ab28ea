import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { portOf } from '../../../support/server.ts';

const TYPE = { 'content-type': 'application/x-amz-json-1.0' };

/**
 * How many items a call processes, or the name of the error that it responds with. It is told the
 * number of the call, from 1.
 */
type Capacity = (call: number) => number | string;

/** A real HTTP server that passes to the embedded database what its capacity allows of each batch. */
export async function startBusyDatabase(capacity: Capacity) {
  const batches: number[] = [];
  const bytes: number[] = [];
  let underWay = 0;
  let mostBytes = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const input = JSON.parse(body);
    const [[table, items]] = Object.entries<unknown[]>(input.RequestItems) as [[string, unknown[]]];
    batches.push(items.length);
    const size = Buffer.byteLength(body);
    bytes.push(size);
    underWay += size;
    mostBytes = Math.max(mostBytes, underWay);
    response.once('finish', () => {
      underWay -= size;
    });
    const allowed = capacity(batches.length);
    if (typeof allowed === 'string') {
      const __type = `com.amazonaws.dynamodb.v20120810#${allowed}`;
      response.writeHead(400, TYPE).end(JSON.stringify({ __type }));
      return;
    }
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
    /** The number of items, and of bytes, of each batch. */
    batches,
    bytes,
    /** The most bytes of batches that were under way at once. */
    get mostBytes() {
      return mostBytes;
    },
    stop() {
      client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function forward({ headers }: IncomingMessage, input: unknown): Promise<string> {
  const response = await fetch(inject('databaseEndpoint'), {
    method: 'POST',
    headers: {
      ...TYPE,
      'x-amz-target': String(headers['x-amz-target']),
      'x-amz-date': String(headers['x-amz-date']),
      authorization: String(headers.authorization),
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`The embedded database responded with ${response.status}.`);
  return response.text();
}
