// Runs a bundle in a process of its own and calls it as often as it is told, one call after the
// other: `../measure/contender-process.ts` starts it.

import type { Reply } from '../../../functions/http/invocation.ts';
import { contextOf } from '../../support/invoke.ts';
import type { Calls, CallsMade } from '../measure/contender-process.ts';

const [, , bundle = ''] = process.argv;
const { handler } = await import(bundle);

process.on('message', async ({ event, times }: Calls) => {
  // An event of its own for each call, made beforehand: middlewares write on it.
  const text = JSON.stringify(event);
  const events: unknown[] = Array.from({ length: times }, () => JSON.parse(text));
  const replies = new Map<number, Reply>();
  const start = process.cpuUsage();
  for (const next of events) {
    const reply: Reply = await handler(next, contextOf({}));
    replies.set(reply.statusCode, reply);
  }
  const { user, system } = process.cpuUsage(start);
  // Where the process may collect by itself, memory is what is left after it has.
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const made: CallsMade = {
    replies: [...replies.values()],
    cpuMicros: user + system,
    rss,
    heapUsed,
  };
  process.send?.(made);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
