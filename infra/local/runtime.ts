// The thread of an execution environment: loads a function's built code and runs its invocations.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Context } from 'aws-lambda';
import type { FunctionDefinition, Message, Task } from './local-function.ts';

const definition: FunctionDefinition = workerData;
const post = (message: Message) => parentPort?.postMessage(message);

const [module, name = ''] = definition.handler.split('.');
const { [name]: handler } = await import(
  pathToFileURL(join(definition.folder, `${module}.mjs`)).href
);
parentPort?.on('message', (task: Task) => void invoke(task));
post('ready');

async function invoke(task: Task): Promise<void> {
  try {
    const result: unknown = await handler(task.event, contextOf(task));
    // Lambda passes results on as JSON.
    post({ result: result === undefined ? undefined : JSON.parse(JSON.stringify(result)) });
  } catch (error) {
    post({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function contextOf({ requestId, deadline }: Task): Context {
  const unused = () => {
    throw new Error('Node.js 24 functions have no callbacks.');
  };
  return {
    awsRequestId: requestId,
    functionName: definition.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${definition.name}`,
    memoryLimitInMB: String(definition.memoryMegabytes),
    logGroupName: `/aws/lambda/${definition.name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: unused,
    fail: unused,
    succeed: unused,
  };
}
