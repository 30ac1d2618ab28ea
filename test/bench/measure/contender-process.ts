import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Reply } from '../../../functions/http/invocation.ts';
import { driver } from '../contenders.ts';

/** What a process is told: to call its handler so many times. */
export interface Calls {
  event: APIGatewayProxyEventV2;
  times: number;
}

/** What came of it: the last answer of each status, the processor time of all calls, and the memory after them. */
export interface CallsMade {
  replies: Reply[];
  cpuMicros: number;
  rss: number;
  heapUsed: number;
}

/** A handler in a process of its own, which lives from call to call. */
export interface ContenderProcess {
  /** Calls it so many times and gives what came of it. */
  call(event: APIGatewayProxyEventV2, times: number): Promise<CallsMade>;
  stop(): Promise<void>;
}

/** Loads a bundle in a process with these variables and, as flags of Node.js, `execArgv`. */
export async function startProcess(
  bundle: string,
  variables: Readonly<Record<string, string>>,
  execArgv: string[] = [],
): Promise<ContenderProcess> {
  const child = fork(driver('warm'), [bundle], {
    env: { ...variables },
    execArgv,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // The log goes into a pipe, as on Lambda; nobody needs it.
  child.stdout?.resume();
  const closed = once(child, 'exit');
  const next = async () => {
    const [message] = await Promise.race([once(child, 'message'), closed.then(() => [])]);
    if (message === undefined) throw new Error(`${bundle} has ended.`);
    return message;
  };
  await next();
  return {
    async call(event, times) {
      const calls: Calls = { event, times };
      child.send(calls);
      return next();
    },
    async stop() {
      if (child.connected) child.disconnect();
      await closed;
    },
  };
}
