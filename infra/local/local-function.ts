import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/** A Lambda function of the template, with all values that are needed to run the function on this machine. */
export interface FunctionDefinition {
  name: string;
  /** The folder of the built code. */
  folder: string;
  /** The module and the export in that folder, as in `index.handler`. */
  handler: string;
  variables: Readonly<Record<string, string>>;
  memoryMegabytes: number;
  timeoutSeconds: number;
}

/** The outcome of an invocation: the result of the function, or the text of its failure. */
export type Outcome = { result: unknown } | { failure: string };

/** A receiver of each line that a function writes to standard output. */
export type LogLines = (line: string) => void;

/** An invocation, as the execution environment's thread receives it. */
export interface Task {
  event: APIGatewayProxyEventV2;
  requestId: string;
}

/**
 * A function that runs on this machine, with one execution environment for each concurrent invocation. There are at
 * most as many execution environments as CPU cores, because more would compete for the cores.
 */
export class LocalFunction {
  readonly #definition: FunctionDefinition;
  readonly #log: LogLines | undefined;
  /** The idle execution environments. Undefined stands for an execution environment that has not started. */
  readonly #idle: (ExecutionEnvironment | undefined)[];
  readonly #waiting: (() => void)[] = [];

  /** @param log the receiver of log lines; if undefined, the lines go to the standard output of this process. */
  constructor(definition: FunctionDefinition, log?: LogLines) {
    this.#definition = definition;
    this.#log = log;
    this.#idle = Array.from({ length: availableParallelism() }, () => undefined);
  }

  async invoke(event: APIGatewayProxyEventV2): Promise<Outcome> {
    const idle = await this.#take();
    const executionEnvironment = idle?.isAlive
      ? idle
      : new ExecutionEnvironment(this.#definition, this.#log);
    try {
      return await executionEnvironment.invoke(event);
    } finally {
      this.#idle.push(executionEnvironment);
      this.#waiting.shift()?.();
    }
  }

  /** Waits for all invocations, then ends the execution environments. Do not call `invoke` afterwards. */
  async stop(): Promise<void> {
    const all = await Promise.all(
      Array.from({ length: availableParallelism() }, () => this.#take()),
    );
    await Promise.all(all.map((each) => each?.stop()));
  }

  /** Takes the most recently used idle execution environment. If all are busy, waits until one is idle. */
  async #take(): Promise<ExecutionEnvironment | undefined> {
    while (this.#idle.length === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#idle.pop();
  }
}

/**
 * An execution environment of a function, like Lambda's: an instance of the code in its own thread, with its own
 * environment variables. It handles one invocation at a time. Unlike a process, a thread cannot outlive the service.
 */
class ExecutionEnvironment {
  readonly #worker: Worker;
  readonly #limitMs: number;
  /** The receiver of the thread's next message, or of the failure that ends the execution environment. */
  #settle: (outcome: Outcome) => void = () => undefined;
  /** The reason why the execution environment has ended. */
  #failure: Outcome | undefined;
  readonly #started: Promise<Outcome>;
  /** Whether the execution environment can handle another invocation. */
  get isAlive(): boolean {
    return this.#failure === undefined;
  }

  constructor(definition: FunctionDefinition, log: LogLines | undefined) {
    this.#limitMs = definition.timeoutSeconds * 1000;
    this.#worker = new Worker(new URL('function-thread.ts', import.meta.url), {
      workerData: definition,
      env: { ...definition.variables },
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMegabytes },
      stdout: log !== undefined,
    });
    if (log !== undefined) createInterface({ input: this.#worker.stdout }).on('line', log);
    this.#worker.on('message', (outcome: Outcome) => this.#settle(outcome));
    this.#worker.on('error', (error) =>
      this.#end(`The execution environment ended: ${error.stack}`),
    );
    this.#worker.on('exit', (code) =>
      this.#end(`The execution environment ended with exit code ${code}.`),
    );
    this.#started = this.#nextMessage();
  }

  /** Runs one invocation. A crash or a timeout ends the execution environment. */
  async invoke(event: APIGatewayProxyEventV2): Promise<Outcome> {
    const started = await this.#started;
    if ('failure' in started) return started;
    const timer = setTimeout(() => {
      this.#end(`Task timed out after ${(this.#limitMs / 1000).toFixed(2)} seconds`);
      void this.stop();
    }, this.#limitMs);
    const outcome = this.#nextMessage();
    this.#worker.postMessage({ event, requestId: randomUUID() } satisfies Task);
    return outcome.finally(() => clearTimeout(timer));
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #end(failure: string): void {
    this.#failure ??= { failure };
    this.#settle(this.#failure);
  }

  /** Returns the thread's next message: that the code is loaded, or the outcome of an invocation. */
  #nextMessage(): Promise<Outcome> {
    // Each message has a promise of its own. A single promise for the end of the execution environment, against which
    // every invocation raced, would keep the outcomes of all invocations in memory.
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    return promise;
  }
}
