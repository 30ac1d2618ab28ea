import { type Contender, type MeasuredOperation, ours } from './contenders.ts';
import type { Measurement } from './driver.ts';
import { type Environment, startEnvironment } from './environment.ts';
import type { Row } from './report.ts';
import type { Stub } from './stub.ts';

export interface Setting {
  stub: Stub;
  others: readonly Contender[];
  rounds: number;
}

/**
 * `cold start`: CPU time from loading the bundle to the first response, without Node.js's own start. `first call`: the
 * part after init.
 */
export async function coldRows(operation: MeasuredOperation, setting: Setting) {
  const starts = await inTurn(setting, async (contender) => {
    const environment = startEnvironment(contender, operation, setting.stub);
    const outcome = await environment.call();
    await environment.stop();
    return outcome;
  });
  return [
    ...rowsOf('cold start', operation, 'ms', starts, ({ initMs, callsMs }) => initMs + callsMs),
    ...rowsOf('first call', operation, 'ms', starts, ({ callsMs }) => callsMs),
  ];
}

/** `warm call`: a request after 500 others. */
export async function warmRows(operation: MeasuredOperation, setting: Setting) {
  const environments = new Map<Contender, Environment>();
  const calls = await inTurn(setting, async (each) => {
    const environment = environments.get(each) ?? startEnvironment(each, operation, setting.stub);
    if (!environments.has(each)) await environment.call({ times: 500 });
    environments.set(each, environment);
    return environment.call({ times: 200 });
  });
  for (const environment of environments.values()) await environment.stop();
  const microseconds = ({ callsMs, times }: Measurement) => (callsMs * 1000) / times;
  return rowsOf('warm call', operation, 'µs', calls, microseconds);
}

/** Measures round by round, so that a slow phase of the machine affects all contenders. */
async function inTurn<T>(
  { others, rounds }: Setting,
  measure: (contender: Contender) => Promise<T>,
): Promise<Map<Contender, T[]>> {
  const measured = new Map([ours, ...others].map((each): [Contender, T[]] => [each, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, measurements] of measured) measurements.push(await measure(contender));
  }
  return measured;
}

function rowsOf<T>(
  metric: string,
  operation: MeasuredOperation,
  unit: string,
  measured: ReadonlyMap<Contender, T[]>,
  valueIn: (measurement: T) => number,
): Row[] {
  const [[, own = []] = [], ...others] = [...measured].map(
    ([{ label }, all]) => [label, all.map(valueIn)] as const,
  );
  return others.map(([label, values]) => ({
    metric,
    operation,
    unit,
    ours: own,
    other: { label, values },
  }));
}
