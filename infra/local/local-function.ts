import { ExecutionEnvironment, type FunctionDefinition, type Outcome } from './environment.ts';

/** More would only compete for this machine's processors. */
const MOST_ENVIRONMENTS = 8;

/** A function that runs on this machine, in as many environments as it has invocations at once. */
export class LocalFunction {
  readonly #definition: FunctionDefinition;
  readonly #idle: ExecutionEnvironment[] = [];
  readonly #all = new Set<ExecutionEnvironment>();
  readonly #waiting: ((environment: ExecutionEnvironment) => void)[] = [];
  readonly #running = new Set<Promise<Outcome>>();

  constructor(definition: FunctionDefinition) {
    this.#definition = definition;
  }

  async invoke(event: unknown): Promise<Outcome> {
    const running = this.#run(event);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  async #run(event: unknown): Promise<Outcome> {
    const environment = await this.#take();
    const outcome = await environment.invoke(event);
    this.#giveBack(environment);
    return outcome;
  }

  /** Stops its environments, after the invocations under way. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([...this.#all].map((environment) => environment.stop()));
  }

  async #take(): Promise<ExecutionEnvironment> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#all.size < MOST_ENVIRONMENTS) return this.#start();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #start(): ExecutionEnvironment {
    const environment = new ExecutionEnvironment(this.#definition);
    this.#all.add(environment);
    return environment;
  }

  #giveBack(environment: ExecutionEnvironment): void {
    if (!environment.isAlive) this.#all.delete(environment);
    const next = this.#waiting.shift();
    if (next !== undefined) next(environment.isAlive ? environment : this.#start());
    else if (environment.isAlive) this.#idle.push(environment);
  }
}
