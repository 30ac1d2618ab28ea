// Runs a bundle in a process of its own and calls it as often as it is told, one call after the
// other: `../measure/contender-process.ts` starts it.
import type { Reply } from '../../../functions/runtime/invocation.ts';
import { contextOf } from '../../support/invoke.ts';
import type { Calls, CallsMade } from '../measure/contender-process.ts';

const [, , bundle = ''] = process.argv;
const { handler } = await import(bundle);

process.on('message', async ({ events, times }: Calls) => {
  // An event of its own for each call, made beforehand: middlewares write on it.
  const texts = events.map((event) => JSON.stringify(event));
  const calls = Array.from({ length: times }, (_, call) =>
    JSON.parse(texts[call % texts.length] ?? ''),
  );
  const replies = new Map<number, Reply>();
  const begun = performance.now();
  const start = process.cpuUsage();
  for (const event of calls) {
    const reply: Reply = await handler(event, contextOf({}));
    replies.set(reply.statusCode, reply);
  }
  const { user, system } = process.cpuUsage(start);
  const wallMicros = (performance.now() - begun) * 1000;
  calls.length = 0;
  const made: CallsMade = {
    replies: [...replies.values()],
    cpuMicros: user + system,
    wallMicros,
    memory: memory(),
  };
  process.send?.(made);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

/** In bytes; of the heap, what is in use, where the process may collect (`--expose-gc`). */
function memory() {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed, peakRss: process.resourceUsage().maxRSS * 1024 };
}
