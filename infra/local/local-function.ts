import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

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

/** The outcome of an invocation. */
export type Outcome = { result: unknown } | { failure: string };

/** Gets each line that a function writes to standard output. */
export type LogLines = (line: string) => void;

/** An invocation, as the environment's thread gets it. */
export interface Task {
  event: APIGatewayProxyEventV2;
  requestId: string;
}

/**
 * A function that runs on this machine, in as many environments as it has invocations at once; at most
 * one for each CPU core, because more would only compete for them.
 */
export class LocalFunction {
  readonly #definition: FunctionDefinition;
  readonly #log: LogLines | undefined;
  /** The environments without an invocation; undefined is one that has not started. */
  readonly #idle: (ExecutionEnvironment | undefined)[];
  readonly #waiting: (() => void)[] = [];

  /** @param log if undefined, the lines go to standard output of this process. */
  constructor(definition: FunctionDefinition, log?: LogLines) {
    this.#definition = definition;
    this.#log = log;
    this.#idle = Array.from({ length: availableParallelism() }, () => undefined);
  }

  async invoke(event: APIGatewayProxyEventV2): Promise<Outcome> {
    const idle = await this.#take();
    const environment = idle?.isAlive
      ? idle
      : new ExecutionEnvironment(this.#definition, this.#log);
    try {
      return await environment.invoke(event);
    } finally {
      this.#idle.push(environment);
      this.#waiting.shift()?.();
    }
  }

  /** Ends the environments, after all invocations. There must be no invocation afterwards. */
  async stop(): Promise<void> {
    const all = await Promise.all(
      Array.from({ length: availableParallelism() }, () => this.#take()),
    );
    await Promise.all(all.map((environment) => environment?.stop()));
  }

  /** The environment that was used last, once there is one without an invocation. */
  async #take(): Promise<ExecutionEnvironment | undefined> {
    while (this.#idle.length === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#idle.pop();
  }
}

/**
 * An execution environment of a function, like those of Lambda: one instance of the code in a thread of
 * its own, with variables of its own, which handles one invocation at a time. A thread, unlike a
 * process, cannot outlive the service.
 */
class ExecutionEnvironment {
  readonly #worker: Worker;
  readonly #limitMs: number;
  /** Gets the next message of the thread, or the failure that ends the environment. */
  #settle: (outcome: Outcome) => void = () => undefined;
  /** Why the environment can no longer be used. */
  #failure: Outcome | undefined;
  readonly #started: Promise<Outcome>;
  /** Whether it can handle another invocation. */
  get isAlive(): boolean {
    return this.#failure === undefined;
  }

  constructor(definition: FunctionDefinition, log: LogLines | undefined) {
    this.#limitMs = definition.timeoutSeconds * 1000;
    this.#worker = new Worker(new URL('runtime.ts', import.meta.url), {
      workerData: definition,
      env: { ...definition.variables },
      resourceLimits: { maxOldGenerationSizeMb: definition.memoryMegabytes },
      stdout: log !== undefined,
    });
    if (log !== undefined) createInterface({ input: this.#worker.stdout }).on('line', log);
    this.#worker.on('message', (outcome: Outcome) => this.#settle(outcome));
    this.#worker.on('error', (error) => this.#end(`The environment ended: ${error.stack}`));
    this.#worker.on('exit', (code) => this.#end(`The environment ended with exit code ${code}.`));
    this.#started = this.#nextMessage();
  }

  /** Runs one invocation; the environment is not used again if it crashes or takes too long. */
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

  /** The thread tells when it has loaded the code, and then the outcome of each invocation. */
  #nextMessage(): Promise<Outcome> {
    // No promise lives longer than an invocation: it would keep the outcomes of all later ones in memory.
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    return promise;
  }
}
