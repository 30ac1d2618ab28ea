// Runs a bundle as a Lambda execution environment does: loads it and invokes its handler at once. Commands come from
// file descriptor 3; the process blocks while it waits, because Lambda freezes an environment between requests.
import type { FunctionResponse } from '../../functions/platform/invocation.ts';
import { contextOf } from '../support/invoke.ts';

export interface Command {
  event: unknown;
  times: number;
}

export interface Measurement {
  /** CPU time, like `callsMs`. */
  initMs: number;
  times: number;
  callsMs: number;
  /** The first response other than 200, or the last one if there is none. */
  response: FunctionResponse;
}

// Importing `node:fs` would load modules whose cost must count towards the bundle.
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

async function run({ event, times }: Command): Promise<Measurement> {
  // Parsed before the measurement. One event per call, because middlewares change events.
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
  return { initMs, times, callsMs: msSince(before), response };
}

function msSince(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1000;
}

/** Blocks until a line of JSON arrives. Undefined once the other end is closed. */
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
