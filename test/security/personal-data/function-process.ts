import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type OperationName, operations } from '../../../functions/contract/operations.ts';
import type { Reply } from '../../../functions/runtime/invocation.ts';
import { bundleFolder } from '../../../infra/bundle/bundles.ts';
import { eventOf, type TestRequest } from '../../support/invoke.ts';

/** What the process is told. */
export interface Invocation {
  event: unknown;
  remainingMs?: number;
}

/** What it says of it: the answer, or that the handler threw. */
export interface InvocationResult {
  reply: Reply | undefined;
}

const DRIVER = fileURLToPath(new URL('function-driver.ts', import.meta.url));

/** The variables of AWS that a function finds in Lambda, for the embedded database. */
export const awsVariables = (endpoint = inject('databaseEndpoint')) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});

/** A built function in a process of its own; everything that it writes is kept. */
export class FunctionProcess {
  readonly #operation: OperationName;
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  /** What was written to file descriptors 1 and 2; complete after `end`. */
  stdout = '';
  stderr = '';

  constructor(operation: OperationName, variables: Readonly<Record<string, string>>) {
    this.#operation = operation;
    this.#process = fork(DRIVER, [`${bundleFolder(operation)}/index.mjs`], {
      env: { ...variables },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#closed = once(this.#process, 'close');
    this.#process.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
  }

  /** Waits until the code is loaded; gives the exit code if that has failed. */
  async started(): Promise<number | null | 'ready'> {
    const [said] = await Promise.race([
      once(this.#process, 'message'),
      this.#closed.then(() => []),
    ]);
    return said === 'ready' ? said : this.#process.exitCode;
  }

  /** Invokes the function, one invocation at a time. */
  async call(request: TestRequest): Promise<Reply> {
    const { remainingMs = 6000 } = request;
    const invocation: Invocation = {
      event: eventOf(operations[this.#operation], request),
      remainingMs,
    };
    this.#process.send(invocation);
    const [result] = await once(this.#process, 'message');
    const { reply }: InvocationResult = result;
    if (reply === undefined) throw new Error('The handler threw, and Lambda would log it.');
    return reply;
  }

  async end(): Promise<void> {
    if (this.#process.connected) this.#process.send('end');
    await this.#closed;
  }

  /** The lines of its log. */
  get lines(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }
}
