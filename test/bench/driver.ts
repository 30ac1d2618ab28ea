// Runs a bundle as an environment of Lambda does: loads it, and calls it at once. It takes its orders
// from file descriptor 3 and blocks while it waits for one, as Lambda freezes an environment between
// requests. `environment.ts` starts it.
import type { Reply } from '../../functions/runtime/invocation.ts';
import { contextOf } from '../support/invoke.ts';

/** An order to call the handler with this event so often, one call after the other. */
export interface Order {
  event: unknown;
  times: number;
  /** Whether to collect garbage before memory is read. */
  collect: boolean;
}

/** What came of an order. */
export interface Outcome {
  /** Processor time of loading the bundle, in milliseconds. */
  initMs: number;
  /** Processor time of all calls, in milliseconds. */
  callsMs: number;
  /** The last reply, or the first that is not a 200. */
  reply: Reply;
  /** In bytes. */
  heap: number;
  resident: number;
}

// An import would load for the bundle what the bundle should pay for itself.
const fs = process.getBuiltinModule('node:fs');
const [, , bundle = ''] = process.argv;

let order = nextOrder();
const start = process.cpuUsage();
const { handler } = await import(bundle);
const initMs = msSince(start);
let calls = 0;
while (order !== undefined) {
  fs.writeSync(3, `${JSON.stringify(await obey(order))}\n`);
  order = nextOrder();
}
process.exit();

async function obey({ event, times, collect }: Order): Promise<Outcome> {
  // Made ahead, an own one for each call: middlewares write on them.
  const text = JSON.stringify(event);
  const events = Array.from({ length: times }, () => JSON.parse(text));
  let reply: Reply = { statusCode: 200, headers: {}, body: '' };
  const before = process.cpuUsage();
  for (const each of events) {
    calls += 1;
    const invocationId = `00000000-0000-4000-8000-${String(calls).padStart(12, '0')}`;
    const replied: Reply = await handler(each, contextOf({ invocationId }));
    if (reply.statusCode === 200) reply = replied;
  }
  const callsMs = msSince(before);
  events.length = 0;
  if (collect) globalThis.gc?.();
  const { heapUsed: heap, rss: resident } = process.memoryUsage();
  return { initMs, callsMs, reply, heap, resident };
}

function msSince(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1000;
}

/** Waits for an order: a line of JSON. There is none when the other end is closed. */
function nextOrder(): Order | undefined {
  const chunk = Buffer.alloc(65_536);
  let line = '';
  while (!line.endsWith('\n')) {
    const size = fs.readSync(3, chunk);
    if (size === 0) return undefined;
    line += chunk.toString('utf8', 0, size);
  }
  return JSON.parse(line);
}
