// Runs a bundle as an execution environment of Lambda does: loads it, and calls it at once. Commands
// come on file descriptor 3; the process blocks while it waits for one, as Lambda freezes an
// environment between requests. `environment.ts` starts it.
import type { FunctionResponse } from '../../functions/runtime/invocation.ts';
import { contextOf } from '../support/invoke.ts';

/** A command to call the handler with this event so often, one call after the other. */
export interface Command {
  event: unknown;
  times: number;
  /** Whether to collect garbage before memory is read. */
  collect: boolean;
}

/** What came of a command. */
export interface Outcome {
  /** CPU time of loading the bundle, in milliseconds. */
  initMs: number;
  /** How many calls there were. */
  times: number;
  /** CPU time of all of them, in milliseconds. */
  callsMs: number;
  /** The last response, or the first that is not a 200. */
  response: FunctionResponse;
  /** In bytes. */
  heap: number;
  resident: number;
}

// Not imported: an import would load modules whose cost belongs to the bundle.
const fs = process.getBuiltinModule('node:fs');
const [, , bundle = ''] = process.argv;

let command = nextCommand();
const start = process.cpuUsage();
const { handler } = await import(bundle);
const initMs = msSince(start);
let calls = 0;
while (command !== undefined) {
  fs.writeSync(3, `${JSON.stringify(await run(command))}\n`);
  command = nextCommand();
}
process.exit();

async function run({ event, times, collect }: Command): Promise<Outcome> {
  // Made before the calls, an event for each, because middlewares change events.
  const text = JSON.stringify(event);
  const events = Array.from({ length: times }, () => JSON.parse(text));
  let response: FunctionResponse = { statusCode: 200, headers: {}, body: '' };
  const before = process.cpuUsage();
  for (const each of events) {
    calls += 1;
    const invocationId = `00000000-0000-4000-8000-${String(calls).padStart(12, '0')}`;
    const latest: FunctionResponse = await handler(each, contextOf({ invocationId }));
    if (response.statusCode === 200) response = latest;
  }
  const callsMs = msSince(before);
  events.length = 0;
  if (collect) globalThis.gc?.();
  const { heapUsed: heap, rss: resident } = process.memoryUsage();
  return { initMs, times, callsMs, response, heap, resident };
}

function msSince(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1000;
}

/** Waits for a command: a line of JSON. There is none when the other end is closed. */
function nextCommand(): Command | undefined {
  const chunk = Buffer.alloc(65_536);
  let line = '';
  while (!line.endsWith('\n')) {
    const size = fs.readSync(3, chunk);
    if (size === 0) return undefined;
    line += chunk.toString('utf8', 0, size);
  }
  return JSON.parse(line);
}
