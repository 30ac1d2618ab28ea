// Runs a bundle as a fresh environment of Lambda does: loads it, lets it come to rest, and calls it
// once. Says on file descriptor 3 what processor time each took, in milliseconds.
import { contextOf } from '../../support/invoke.ts';
import type { ColdStart } from '../measure/cold.ts';

// Not imported: that would load for the bundle what it should pay for itself.
const fs = process.getBuiltinModule('node:fs');
const [, , bundle = '', event = ''] = process.argv;
const parsed = JSON.parse(event);

const TICK_MS = 25;
const REST_MS = 1;
const MOST_TICKS = 40;

await rest();
const start = process.cpuUsage();
const { handler } = await import(bundle);
const imported = since(start);
await rest();
const init = since(start);
const context = contextOf({});
const before = process.cpuUsage();
const { statusCode } = await handler(parsed, context);
const firstCall = since(before);
const measured: ColdStart & { statusCode: number } = {
  statusCode,
  runtime: (start.user + start.system) / 1000,
  imported,
  init,
  firstCall,
  total: init + firstCall,
};
fs.writeSync(3, JSON.stringify(measured));
process.exit();

function since(earlier: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1000;
}

/** Waits until what goes on in the background is done: two ticks without work, a second at most. */
async function rest(): Promise<void> {
  let idle = 0;
  for (let tick = 0; tick < MOST_TICKS && idle < 2; tick += 1) {
    const earlier = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    idle = since(earlier) < REST_MS ? idle + 1 : 0;
  }
}
