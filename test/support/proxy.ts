import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { portOf } from './server.ts';

const MEDIA_TYPE = 'application/x-amz-json-1.0';

/** What happens to a request on its way to the database. */
export type Fault =
  | 'none'
  /** The database does its work, and the connection breaks before the answer. */
  | 'answer lost'
  | 'reset'
  | 'hang'
  /** Half of the answer, and nothing more. */
  | 'stalled'
  /** Something else than HTTP. */
  | 'no http'
  /** Half of the JSON text. */
  | 'truncated'
  /** The connection breaks in the middle of the answer. */
  | 'cut off'
  /** The answer is lost too, and something else happens before the connection breaks. */
  | { lostAfter: () => Promise<void> }
  /** The database does not see the request; this is answered in its place. */
  | { status: number; body: string };

/** A request that reached the proxy. */
export interface Recorded {
  /** The DynamoDB operation, such as `GetItem`. */
  operation: string | undefined;
  input: Record<string, unknown>;
  /** Whether its sender gave it up before it was answered. */
  abandoned: boolean;
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
  /** The same for the requests whose key holds a name, whatever the others meet. */
  readonly faultsFor = new Map<string, Fault[]>();

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
    this.faults = faults;
  }

  /** The requests whose key holds a name. */
  requestsFor(name: string): Recorded[] {
    return this.requests.filter(({ input }) => JSON.stringify(input.Key).includes(name));
  }

  #nextFault(body: string): Fault {
    const named = [...this.faultsFor].find(([name]) => body.includes(name));
    const faults = named?.[1] ?? this.faults;
    return (faults.length > 1 ? faults.shift() : faults[0]) ?? 'none';
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const target = String(request.headers['x-amz-target']);
    const recorded = {
      operation: target.split('.')[1],
      input: JSON.parse(body),
      abandoned: false,
    };
    this.requests.push(recorded);
    const fault = this.#nextFault(body);
    if (fault === 'hang') {
      response.once('close', () => {
        recorded.abandoned = true;
      });
      return;
    }
    if (fault === 'no http') {
      response.socket?.end('not HTTP\r\n\r\n');
      return;
    }
    if (fault === 'reset') {
      response.destroy();
      return;
    }
    if (typeof fault === 'object' && 'lostAfter' in fault) {
      await forwarded(request.headers, body);
      await fault.lostAfter();
      response.destroy();
      return;
    }
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': MEDIA_TYPE });
      response.end(fault.body);
      return;
    }
    const answer = await forwarded(request.headers, body);
    if (fault === 'answer lost') response.destroy();
    else spoil(response, answer, fault);
  }
}

function spoil(
  response: ServerResponse,
  { status, body }: { status: number; body: string },
  fault: Fault,
): void {
  const half = body.slice(0, body.length / 2);
  response.writeHead(status, {
    'content-type': MEDIA_TYPE,
    'content-length': Buffer.byteLength(fault === 'truncated' ? half : body),
  });
  if (fault === 'stalled') response.write(half);
  else if (fault === 'cut off') response.write(half, () => response.destroy());
  else response.end(fault === 'truncated' ? half : body);
}

async function forwarded(headers: IncomingMessage['headers'], body: string) {
  const signed = Object.entries(headers).filter(([name]) =>
    /^(authorization|x-amz-.*)$/.test(name),
  );
  const answer = await fetch(inject('databaseEndpoint'), {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPE, ...Object.fromEntries(signed) },
    body,
  });
  return { status: answer.status, body: await answer.text() };
}
