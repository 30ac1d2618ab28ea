import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Reply } from '../../../functions/runtime/invocation.ts';
import { driver } from '../contenders.ts';

/** What a process is told: to call its handler so many times, with these events in turn. */
export interface Calls {
  events: APIGatewayProxyEventV2[];
  times: number;
}

/** What came of it: the last answer of each status, the time of all calls, the memory after them. */
export interface CallsMade {
  replies: Reply[];
  cpuMicros: number;
  wallMicros: number;
  memory: Memory;
}

/** In bytes. */
export interface Memory {
  rss: number;
  heapUsed: number;
  /** The most that was resident at any time. */
  peakRss: number;
}

/** A handler in a process of its own, which lives from call to call. */
export interface ContenderProcess {
  call(calls: Calls): Promise<CallsMade>;
  /** Likewise, but every answer must be a 200: a refusal costs less, and is no measurement. */
  succeed(calls: Calls): Promise<CallsMade>;
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
  const ended = once(child, 'exit');
  const next = async () => {
    const [message] = await Promise.race([once(child, 'message'), ended.then(() => [])]);
    if (message === undefined) throw new Error(`The process of ${bundle} has ended.`);
    return message;
  };
  await next();
  const call = (calls: Calls): Promise<CallsMade> => {
    child.send(calls);
    return next();
  };
  return {
    call,
    async succeed(calls) {
      const made = await call(calls);
      const refusal = made.replies.find(({ statusCode }) => statusCode !== 200);
      if (refusal === undefined) return made;
      throw new Error(`${bundle} answered ${refusal.statusCode}: ${refusal.body}`);
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
