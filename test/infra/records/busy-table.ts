import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import type { Table } from '../../../infra/records/table.ts';
import { portOf } from '../../support/server.ts';

const TYPE = { 'content-type': 'application/x-amz-json-1.0' };

/**
 * How many items of a request the table processes, or the name of the error with which it refuses the request. `call`
 * is the number of the request, from 1.
 */
type Capacity = (call: number) => number | string;

/**
 * Starts an HTTP server in front of the table that passes on as many items as `capacity` allows. If declared with
 * `using`, it stops at the end of the scope.
 */
export async function startBusyTable({ name }: Table, capacity: Capacity) {
  const batches: number[] = [];
  const bytes: number[] = [];
  let underWay = 0;
  let mostBytes = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const input = JSON.parse(body);
    if (String(request.headers['x-amz-target']).endsWith('BatchGetItem')) {
      response.writeHead(200, TYPE).end(await forward(request, input));
      return;
    }
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
    // Passes on the last items of the batch, so that the unprocessed ones are not its end.
    const left = items.slice(0, Math.max(0, items.length - allowed));
    const passed = items.slice(left.length);
    if (passed.length > 0) await forward(request, { RequestItems: { [table]: passed } });
    response.writeHead(200, TYPE);
    response.end(JSON.stringify({ UnprocessedItems: left.length > 0 ? { [table]: left } : {} }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${portOf(server)}`;
  // The SDK's own retries would wait longer than a test should.
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1 });
  return {
    client: DynamoDBDocumentClient.from(client),
    name,
    batches,
    bytes,
    /** Size of the requests that were under way at the same time, at most. */
    get mostBytes() {
      return mostBytes;
    },
    [Symbol.dispose]() {
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
