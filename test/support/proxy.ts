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
import {
  dynamoError,
  endlessAfter,
  type Fault,
  type Forwarded,
  MEDIA_TYPE,
  meet,
} from './faults.ts';
import { portOf } from './server.ts';

/** A request that reached the proxy. */
export interface Recorded {
  /** The DynamoDB operation, such as `GetItem`. */
  operation: string | undefined;
  input: Record<string, unknown>;
  /** Whether its sender gave it up before the response. */
  abandoned: boolean;
}

/** How far the clock of a request may differ (AWS Signature Version 4, "Troubleshooting"). */
const CLOCK_TOLERANCE_MS = 300_000;

/** The error of DynamoDB if the signature's time is too far from the machine's own, which no test changes. */
function clockError({ 'x-amz-date': date }: IncomingMessage['headers']): Fault | undefined {
  const iso = String(date).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  const aheadMs = Date.parse(iso) - (performance.timeOrigin + performance.now());
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return undefined;
  const message = `Signature ${aheadMs < 0 ? 'expired' : 'not yet current'}: ${date}`;
  return dynamoError(400, 'InvalidSignatureException', message);
}

/** A real HTTP proxy before the embedded database, which records requests and spoils responses. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  /** What is to be done yet, and the text of the request that it is for. */
  readonly #underWay = new Map<Promise<void>, string>();
  readonly url: string;
  requests: Recorded[] = [];
  /** One for each request to come; the last one stays. */
  faults: Fault[] = ['none'];
  /** The same for the requests whose key holds a name, whatever the others meet. */
  readonly faultsFor = new Map<string, Fault[]>();
  /** Is told the text of a request whose client waits from now on until it gives up. */
  onEndless: (body: string) => void = () => undefined;
  /** Whether it rejects requests that a wrong clock has signed, as DynamoDB does. */
  checksClock = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
    server.on('request', (request, response) => {
      this.#pass(request, response).catch((error) => {
        // What is under way when the proxy stops fails, and no test waits for it.
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

  /**
   * Waits until the requests that hold a name, or all, have been passed on or dropped. One that never gets a
   * response is not passed on and is not waited for.
   */
  async settled(name = ''): Promise<void> {
    // What a sender gave up just now may still lie in the socket.
    for (let turns = 3; turns > 0; turns -= 1) await setImmediate();
    const left = () =>
      [...this.#underWay].flatMap(([met, body]) => (body.includes(name) ? met : []));
    for (let met = left(); met.length > 0; met = left()) await Promise.all(met);
  }

  /** Forgets the past; these faults come next. */
  expect(...faults: Fault[]): void {
    this.requests = [];
    this.faults = faults;
  }

  /** Returns the requests whose key holds a name. A PutItem has the key in its item. */
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
      abandoned: false,
    };
    this.requests.push(recorded);
    const expired = this.checksClock ? clockError(incoming.headers) : undefined;
    const fault = expired ?? this.#nextFault(body);
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

  #forwarded(headers: IncomingMessage['headers'], body: string): Promise<Forwarded> {
    const signed = Object.entries(headers).filter(([name]) =>
      /^(authorization|x-amz-.*)$/.test(name),
    );
    const outgoing = request(inject('databaseEndpoint'), {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': MEDIA_TYPE, ...Object.fromEntries(signed) },
    });
    const done = new Promise<Forwarded>((resolve, reject) => {
      outgoing.once('error', reject);
      outgoing.once('response', async (incoming) => {
        resolve({ status: incoming.statusCode ?? 0, body: await text(incoming) });
      });
    });
    outgoing.end(body);
    return done;
  }
}
