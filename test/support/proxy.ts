import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { portOf } from './server.ts';

/** What happens to a request on its way to the database. */
export type Fault =
  | 'none'
  /** The database does its work, and the connection breaks before the answer. */
  | 'answer lost'
  | 'reset'
  | 'hang'
  | 'truncated'
  /** The database does not see the request; this is answered in its place. */
  | { status: number; body: string };

/** A request that reached the proxy. */
export interface Recorded {
  /** The DynamoDB operation, such as `GetItem`. */
  operation: string | undefined;
  input: Record<string, unknown>;
}

/** An answer of DynamoDB that is an error. */
export const dynamoError = (status: number, name: string): Fault => ({
  status,
  body: JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: 'Invented.',
  }),
});

/** A real HTTP proxy before the embedded database, which records requests and spoils answers. */
export class FaultyProxy {
  readonly #server: Server;
  readonly url: string;
  requests: Recorded[] = [];
  /** One for each request to come; the last one stays. */
  faults: Fault[] = ['none'];
  /** Runs once the database has done its work and before the answer is passed on. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  /** How many requests their sender gave up. */
  abandoned = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
    server.on('request', (request, response) => this.#pass(request, response));
  }

  static async start(): Promise<FaultyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Forgets the past; these faults come next. */
  expect(...faults: Fault[]): void {
    this.requests = [];
    this.abandoned = 0;
    this.faults = faults;
    this.beforeAnswer = async () => undefined;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (!response.writableFinished) this.abandoned += 1;
    });
    const body = await text(request);
    const target = String(request.headers['x-amz-target']);
    this.requests.push({ operation: target.split('.')[1], input: JSON.parse(body) });
    const fault = (this.faults.length > 1 ? this.faults.shift() : this.faults[0]) ?? 'none';
    if (fault === 'hang') return;
    if (fault === 'reset') {
      response.destroy();
      return;
    }
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(fault.body);
      return;
    }
    const answer = await forwarded(target, String(request.headers.authorization), body);
    await this.beforeAnswer();
    if (fault === 'answer lost') response.destroy();
    else {
      const whole = answer.body;
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(fault === 'truncated' ? whole.slice(0, whole.length / 2) : whole);
    }
  }
}

async function forwarded(target: string, authorization: string, body: string) {
  const answer = await fetch(inject('databaseEndpoint'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
      authorization,
    },
    body,
  });
  return { status: answer.status, body: await answer.text() };
}
