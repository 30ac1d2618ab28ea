// Runs the built functions under Lambda's own runtime client, if LAMBDA_RUNTIME names it, as in outside.yml.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildBundles, bundleFolder } from '../../../../infra/stack/bundle/bundles.ts';
import { type Handler, TEST_TIMEOUT_S } from '../../../support/invoke.ts';
import { applicationItem, jobItem } from '../../../support/items.ts';
import { portOf } from '../../../support/server.ts';
import { functionsOf, startService, variablesOf } from '../../../support/service.ts';

/** `index.mjs` of the npm package aws-lambda-ric. */
const { LAMBDA_RUNTIME: client } = process.env;

/**
 * Serves Lambda's runtime API to one execution environment (AWS Lambda Developer Guide, "Using the Lambda runtime
 * API").
 */
async function startEnvironment(
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<Handler> {
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/next')) {
      server.emit('next', response);
      return;
    }
    const body = await text(request);
    response.writeHead(202).end('{}');
    if (request.url?.endsWith('/response')) server.emit('result', body);
    else server.emit('error', new Error(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let next = once(server, 'next');
  const runtime = spawn(process.execPath, [String(client)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...variables,
      _HANDLER: 'index.handler',
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${portOf(server)}`,
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
  runtime.once('exit', () => server.emit('error', new Error('The runtime has ended.')));
  onTestFinished(() => {
    runtime.removeAllListeners('exit').kill('SIGKILL');
    server.close();
    server.closeAllConnections();
  });
  return async (event) => {
    const [response] = await next;
    next = once(server, 'next');
    const result = once(server, 'result');
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': crypto.randomUUID(),
      'Lambda-Runtime-Deadline-Ms': Date.now() + TEST_TIMEOUT_S * 1000,
      'Lambda-Runtime-Invoked-Function-Arn':
        'arn:aws:lambda:us-east-1:111122223333:function:function',
    });
    response.end(JSON.stringify(event));
    const [body] = await result;
    return JSON.parse(body);
  };
}

describe.skipIf(client === undefined)(
  "the built functions, under Lambda's runtime client",
  async () => {
    const service = await startService();

    it('start, read an application and change a status', async () => {
      await buildBundles();
      const functions = await functionsOf(service, (name) =>
        startEnvironment(bundleFolder(name), variablesOf(service, {})),
      );
      await service.table.put(applicationItem({}));
      await service.table.put(jobItem({}));
      const read = await functions.getApplication({});
      const changed = await functions.updateJobStatus({});
      expect([read.status, changed.status]).toEqual([200, 200]);
      expect(changed.body).toEqual({ success: true });
      const refused = { token: undefined };
      expect((await functions.getApplication(refused)).status).toBe(401);
      expect((await functions.updateJobStatus({ body: '{' })).status).toBe(400);
    });
  },
);
