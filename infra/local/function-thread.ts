// The thread of an execution environment, which loads a function's built code and runs its invocations.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionDefinition, Outcome, Task } from './local-function.ts';

const definition: FunctionDefinition = workerData;
const post = (outcome: Outcome) => parentPort?.postMessage(outcome);

const [module, name = ''] = definition.handler.split('.');
const { [name]: handler } = await import(
  pathToFileURL(join(definition.folder, `${module}.mjs`)).href
);
parentPort?.on('message', (task: Task) => void invoke(task));
post({ result: 'loaded' });

async function invoke({ event, requestId }: Task): Promise<void> {
  const deadline = Date.now() + definition.timeoutSeconds * 1000;
  const context = {
    awsRequestId: requestId,
    functionName: definition.name,
    functionVersion: '$LATEST',
    memoryLimitInMB: String(definition.memoryMegabytes),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  try {
    const result: unknown = await handler(event, context);
    // Convert the result, because Lambda passes results on as JSON.
    post({ result: result === undefined ? undefined : JSON.parse(JSON.stringify(result)) });
  } catch (error) {
    post({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
