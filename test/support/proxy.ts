import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { inject } from 'vitest';
import { type Answer, endlessAfter, type Fault, MEDIA_TYPE, meet } from './faults.ts';
import { portOf } from './server.ts';

interface Recorded {
  operation: string | undefined;
  input: Record<string, unknown>;
  authorization: string | undefined;
  /** Whether the sender gave up; recorded for `hang` only. */
  abandoned: boolean;
}

export class FaultyProxy {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #underWay = new Map<Promise<void>, string>();
  readonly url: string;
  requests: Recorded[] = [];
  /** For future requests, in order; the last fault repeats. */
  faults: Fault[] = ['none'];
  /** Text -> faults for requests whose body contains it, in place of `faults`. */
  readonly faultsFor = new Map<string, Fault[]>();
  /** Called with the body of a request whose client can only wait for its own time limit. */
  onEndless: (body: string) => void = () => undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
    server.on('request', (request, response) => {
      this.#pass(request, response).catch((error) => {
        // Stopping the proxy makes requests under way fail; no test waits for them.
        if (server.listening) throw error;
      });
    });
  }

  static async start(): Promise<FaultyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Waits until no request that contains `name` can reach the database any more. */
  async settled(name = ''): Promise<void> {
    // A request whose sender has just given up may still be in the socket.
    for (let turns = 3; turns > 0; turns -= 1) await setImmediate();
    const left = () =>
      [...this.#underWay].flatMap(([met, body]) => (body.includes(name) ? met : []));
    for (let met = left(); met.length > 0; met = left()) await Promise.all(met);
  }

  expect(...faults: Fault[]): void {
    this.requests = [];
    this.faults = faults;
  }

  /** Requests whose key contains `name`. A PutItem has its key in the item. */
  requestsFor(name: string): Recorded[] {
    return this.requests.filter(({ input }) =>
      JSON.stringify(input.Key ?? input.Item).includes(name),
    );
  }

  #nextFault(body: string): Fault {
    const named = [...this.faultsFor].find(([name]) => body.includes(name));
    const faults = named?.[1] ?? this.faults;
    return (faults.length > 1 ? faults.shift() : faults[0]) ?? 'none';
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const target = String(incoming.headers['x-amz-target']);
    const recorded = {
      operation: target.split('.')[1],
      input: JSON.parse(body),
      authorization: incoming.headers.authorization,
      abandoned: false,
    };
    this.requests.push(recorded);
    const fault = this.#nextFault(body);
    if (fault === 'hang') {
      response.once('close', () => {
        recorded.abandoned = true;
      });
    }
    const met = meet(fault, response, () => this.#forwarded(incoming.headers, body));
    this.#underWay.set(met, body);
    await met.finally(() => this.#underWay.delete(met));
    const afterMs = endlessAfter(fault);
    if (afterMs === undefined) return;
    if (afterMs > 0) await setTimeout(afterMs);
    this.onEndless(body);
  }

  #forwarded(headers: IncomingMessage['headers'], body: string): Promise<Answer> {
    const signed = Object.entries(headers).filter(([name]) =>
      /^(authorization|x-amz-.*)$/.test(name),
    );
    const outgoing = request(inject('databaseEndpoint'), {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': MEDIA_TYPE, ...Object.fromEntries(signed) },
    });
    const done = new Promise<Answer>((resolve, reject) => {
      outgoing.once('error', reject);
      outgoing.once('response', async (incoming) => {
        resolve({ status: incoming.statusCode ?? 0, body: await text(incoming) });
      });
    });
    outgoing.end(body);
    return done;
  }
}
