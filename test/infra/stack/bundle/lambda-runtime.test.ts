// Runs the built functions under Lambda's own runtime client, if LAMBDA_RUNTIME names it, as in outside.yml.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildBundles, bundleFolder } from '../../../../infra/stack/bundle/bundles.ts';
import { type Handler, TEST_TIMEOUT_S } from '../../../support/invoke.ts';
import { applicationItem, jobItem } from '../../../support/items.ts';
import { portOf } from '../../../support/server.ts';
import { functionsOf, startService, variablesOf } from '../../../support/service.ts';

/** `index.mjs` of the npm package aws-lambda-ric. */
const { LAMBDA_RUNTIME: client } = process.env;

/** Lambda's runtime API for one execution environment (AWS Lambda Developer Guide, "Using the Lambda runtime API"). */
class RuntimeApi {
  readonly #server = createServer((request, response) => this.#respond(request, response));
  readonly #waiting: ((next: { id: string; event: unknown }) => void)[] = [];
  readonly #results = new Map<string, PromiseWithResolvers<string>>();
  readonly failures: string[] = [];
  #process: ChildProcess | undefined;

  async start(folder: string, variables: Record<string, string>): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    this.#process = spawn(process.execPath, [String(client)], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...variables,
        _HANDLER: 'index.handler',
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${portOf(this.#server)}`,
        AWS_LAMBDA_FUNCTION_NAME: 'function',
        AWS_LAMBDA_FUNCTION_VERSION: '1',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
        AWS_LAMBDA_LOG_FORMAT: 'JSON',
        AWS_LAMBDA_LOG_GROUP_NAME: 'group',
        AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        LAMBDA_TASK_ROOT: folder,
        PATH: String(process.env.PATH),
      },
    });
    this.#process.once('exit', (code) => {
      const error = new Error(`The runtime has ended with ${code}.`);
      for (const { reject } of this.#results.values()) reject(error);
    });
  }

  async invoke(event: unknown): Promise<string> {
    while (this.#waiting.length === 0) {
      if (typeof this.#process?.exitCode === 'number') throw new Error('The runtime has ended.');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const result = Promise.withResolvers<string>();
    const id = crypto.randomUUID();
    this.#results.set(id, result);
    this.#waiting.shift()?.({ id, event });
    return result.promise;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = '', what] = /invocation\/([^/]+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? [];
    if (id === 'next') {
      this.#waiting.push(({ id: requestId, event }) => {
        response.writeHead(200, {
          'Content-Type': 'application/json',
          'Lambda-Runtime-Aws-Request-Id': requestId,
          'Lambda-Runtime-Deadline-Ms': Date.now() + TEST_TIMEOUT_S * 1000,
          'Lambda-Runtime-Invoked-Function-Arn':
            'arn:aws:lambda:us-east-1:111122223333:function:function',
        });
        response.end(JSON.stringify(event));
      });
      return;
    }
    const body = await text(request);
    response.writeHead(202).end('{}');
    if (what === 'response') this.#results.get(id)?.resolve(body);
    else {
      this.failures.push(body);
      this.#results.get(id)?.reject(new Error(body));
    }
  }

  async stop(): Promise<void> {
    this.#process?.kill('SIGKILL');
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

describe.skipIf(client === undefined)(
  "the built functions, under Lambda's runtime client",
  async () => {
    const service = await startService();

    it('start, read an application and change a status', async () => {
      await buildBundles();
      const environments: RuntimeApi[] = [];
      onTestFinished(async () => {
        for (const environment of environments) await environment.stop();
      });
      const functions = await functionsOf(service, async (name): Promise<Handler> => {
        const environment = new RuntimeApi();
        environments.push(environment);
        await environment.start(bundleFolder(name), variablesOf(service, {}));
        return async (event) => JSON.parse(await environment.invoke(event));
      });
      await service.table.put(applicationItem({}));
      await service.table.put(jobItem({}));
      const read = await functions.getApplication({});
      const changed = await functions.updateJobStatus({});
      expect([read.status, changed.status]).toEqual([200, 200]);
      expect(changed.body).toEqual({ success: true });
      const refused = { token: undefined };
      expect((await functions.getApplication(refused)).status).toBe(401);
      expect((await functions.updateJobStatus({ body: '{' })).status).toBe(400);
      expect(environments.flatMap(({ failures }) => failures)).toEqual([]);
    });
  },
);
