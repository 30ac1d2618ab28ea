// Runs a bundle as a Lambda execution environment does: loads the bundle, and invokes its handler at once. The process
// reads commands from file descriptor 3, and blocks while it waits for a command, because Lambda freezes an environment
// between requests. `environment.ts` starts this program.
import type { FunctionResponse } from '../../functions/platform/invocation.ts';
import { contextOf } from '../support/invoke.ts';

/** A command to call the handler several times with one event. Each call begins after the previous call has ended. */
export interface Command {
  event: unknown;
  times: number;
  /** Whether to collect garbage before reading the memory usage. */
  collect: boolean;
}

/** The result of a command. */
export interface Measurement {
  /** The CPU time for loading the bundle, in milliseconds. */
  initMs: number;
  /** The number of calls. */
  times: number;
  /** The CPU time of all calls, in milliseconds. */
  callsMs: number;
  /** The first response with another status than 200, or otherwise the last response. */
  response: FunctionResponse;
  /** The used heap and the resident memory, in bytes. */
  heap: number;
  resident: number;
}

// An import would load modules whose cost belongs to the bundle.
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

async function run({ event, times, collect }: Command): Promise<Measurement> {
  // Each call needs its own event, because middlewares change events. The events are created before the measurement.
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

/** Waits for a command, which is a line of JSON. Returns undefined if the other end is closed. */
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
