import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { type OperationName, operations } from '../../../functions/operations/operations.ts';
import type { FunctionResponse } from '../../../functions/platform/invocation.ts';
import { bundleFolder } from '../../../infra/stack/bundle/bundles.ts';
import { eventOf, type TestRequest } from '../../support/invoke.ts';

const DRIVER = fileURLToPath(new URL('function-driver.ts', import.meta.url));

export class FunctionProcess {
  readonly #operation: OperationName;
  readonly #process: ChildProcess;
  readonly #written: Promise<string[]>;
  readonly #started: Promise<unknown>;

  constructor(operation: OperationName, variables: Readonly<Record<string, string>>) {
    this.#operation = operation;
    const aws = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' };
    const endpoint = inject('databaseEndpoint');
    this.#process = fork(DRIVER, [`${bundleFolder(operation)}/index.mjs`], {
      env: { ...aws, AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...variables },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const { stdout, stderr } = this.#process;
    this.#written = Promise.all([stdout, stderr].map((stream) => (stream ? text(stream) : '')));
    this.#started = Promise.race([once(this.#process, 'message'), once(this.#process, 'exit')]);
  }

  async call(request: TestRequest): Promise<FunctionResponse> {
    await this.#started;
    this.#process.send(eventOf(operations[this.#operation], request));
    const [response] = await once(this.#process, 'message');
    if (response === 'thrown') throw new Error('The handler threw, and Lambda would log it.');
    return response;
  }

  async end() {
    await this.#started;
    if (this.#process.connected) this.#process.send('end');
    const [stdout = '', stderr = ''] = await this.#written;
    return { stdout, stderr, exitCode: this.#process.exitCode };
  }
}

export const linesOf = (log: string): unknown[] =>
  JSON.parse(`[${log.trimEnd().replaceAll('\n', ',')}]`);
