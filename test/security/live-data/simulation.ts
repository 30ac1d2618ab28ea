import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import type { Timer } from '../../../functions/platform/clock.ts';
import { NoResponseError } from '../../../functions/store/transport.ts';

/** When a history begins, in milliseconds since 1970. */
export const START = 1_790_000_000_000;

interface Event {
  at: number;
  happen: () => Promise<unknown>;
}

/** Virtual time in milliseconds since the history began. It jumps from one event to the next. */
export class VirtualTime {
  now = 0;
  #events: Event[] = [];

  /** No other event happens until `work` has ended. */
  after<T>(ms: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#events.push({ at: this.now + ms, happen: () => work().then(resolve, reject) });
    });
  }

  sleep = (ms: number) => this.after(ms, async () => undefined);

  timer: Timer = (_, ms, end) => {
    let isCancelled = false;
    void this.sleep(ms).then(() => isCancelled || end());
    return () => {
      isCancelled = true;
    };
  };

  /** Lets time pass until `work` has ended and no request is under way. */
  async passUntilEnd(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    while (!isOver || this.#events.length > 0) {
      // Code that waited for the last event runs first.
      await setImmediate();
      const [first] = this.#events.toSorted((one, other) => one.at - other.at);
      if (first === undefined) continue;
      this.#events = this.#events.filter((event) => event !== first);
      this.now = Math.max(this.now, first.at);
      await first.happen();
    }
    await over;
  }
}

export interface Delivery {
  /**
   * Milliseconds until each copy of the request reaches DynamoDB. Without an entry, the request is lost; with two, it
   * arrives twice.
   */
  arrivals: number[];
  /**
   * `first`: the response to the first arrival. `none`: nothing, and the program gives up at once. `conflict`: an error
   * that reports a conflict with another transaction, after which the program repeats the request.
   */
  answer: 'first' | 'none' | 'conflict';
}

const PROMPT: Delivery = { arrivals: [1], answer: 'first' };

/** One delivery per request, in order; requests beyond the list arrive promptly. */
interface Route {
  time: VirtualTime;
  deliveries: Delivery[];
}

const route = new AsyncLocalStorage<Route>();

export const by = <T>(through: Route, work: () => Promise<T>): Promise<T> =>
  route.run({ ...through, deliveries: [...through.deliveries] }, work);

const conflict = () =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
    $metadata: {},
  });

/** Bypasses delays and losses. */
export const directly = <T>(work: () => Promise<T>): Promise<T> => route.exit(work);

export function clientOnRoutes(): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    endpoint: inject('databaseEndpoint'),
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const current = route.getStore();
      if (current === undefined) return next(args);
      const { arrivals, answer } = current.deliveries.shift() ?? PROMPT;
      const arrive = () => route.run(current, () => next(args));
      const responses = arrivals.map((ms) => current.time.after(ms, arrive));
      for (const response of responses) response.catch(() => undefined);
      const [first] = responses;
      const isTransaction = context.commandName === 'TransactWriteItemsCommand';
      if (answer === 'conflict' && isTransaction) throw conflict();
      if (answer !== 'first' || first === undefined) throw new NoResponseError(true, undefined);
      return first;
    },
    { step: 'deserialize', priority: 'high' },
  );
  // Sets the `Date` of a response, which stands for DynamoDB's clock, to virtual time.
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { time } = route.getStore() ?? {};
      const date = time && new Date(START + time.now).toUTCString();
      if (date) Object.assign(Object(result.response).headers, { date });
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } });
}
