import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** A function of the template, ready to run. */
export interface FunctionDefinition {
  name: string;
  /** The folder of its built code, and the module and export in it, as in `index.handler`. */
  folder: string;
  handler: string;
  variables: Readonly<Record<string, string>>;
  memoryMegabytes: number;
  timeoutSeconds: number;
}

/** What came of an invocation. */
export type Outcome = { result: unknown } | { failure: string };

/** An invocation, as the environment's thread is told of it. */
export interface Task {
  event: unknown;
  requestId: string;
  /** When the time is up, in milliseconds since the epoch. */
  deadline: number;
}

/** What the environment's thread says: that it has loaded the code, or an invocation's outcome. */
export type Message = 'ready' | Outcome;

/**
 * An execution environment of a function, as Lambda has them: one instance of the code in a thread
 * of its own, with variables of its own, which handles one invocation at a time. A thread, not a
 * process: it cannot outlive the service.
 */
export class ExecutionEnvironment {
  readonly #definition: FunctionDefinition;
  readonly #worker: Worker;
  readonly #started: Promise<Message>;
  #crash: Error | undefined;
  /** Whether it can take another invocation. */
  isAlive = true;

  constructor(definition: FunctionDefinition) {
    this.#definition = definition;
    this.#worker = new Worker(new URL('runtime.ts', import.meta.url), {
      workerData: definition,
      env: { ...definition.variables },
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMegabytes },
    });
    this.#worker.on('error', (error) => {
      this.#crash = error;
    });
    this.#worker.on('exit', () => {
      this.isAlive = false;
    });
    this.#started = this.#next();
  }

  /** Runs one invocation; the environment is not used again where it crashes or takes too long. */
  async invoke(event: unknown): Promise<Outcome> {
    const started = await this.#started;
    if (started !== 'ready') return started;
    const requestId = randomUUID();
    const limit = this.#definition.timeoutSeconds * 1000;
    const task: Task = { event, requestId, deadline: Date.now() + limit };
    const outcome = this.#next(limit);
    this.#worker.postMessage(task);
    const said = await outcome;
    return said === 'ready' ? { failure: 'The environment started twice.' } : said;
  }

  async stop(): Promise<void> {
    this.isAlive = false;
    await this.#worker.terminate();
  }

  /** The next message of the thread, or the failure that it ended or said nothing in time. */
  async #next(limit?: number): Promise<Message> {
    const { promise, resolve } = Promise.withResolvers<Message>();
    const end = () => resolve({ failure: `The environment ended: ${this.#crash?.stack}` });
    this.#worker.once('message', resolve).once('exit', end);
    const timer =
      limit === undefined
        ? undefined
        : setTimeout(() => {
            resolve({ failure: `Task timed out after ${(limit / 1000).toFixed(2)} seconds` });
            void this.stop();
          }, limit);
    const message = await promise;
    clearTimeout(timer);
    this.#worker.off('message', resolve).off('exit', end);
    return message;
  }
}
