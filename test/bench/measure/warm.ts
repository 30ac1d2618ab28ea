import { type OperationName, operationNames } from '../../../functions/contract/operations.ts';
import { bundleOf, type Contender, contenders } from '../contenders.ts';
import { eventFor, variablesOf } from '../lambda.ts';
import { recordInTurn, recordOf } from '../records.ts';
import type { Stub } from '../stub/start.ts';
import { startProcess } from './contender-process.ts';

/** Processor time of a warm call, in microseconds: the mean of each block of calls. */
export type WarmCalls = Record<OperationName, Record<Contender, number[]>>;

/** How many calls come before the measurement, and how many are measured as one. */
export interface Pace {
  warmUp: number;
  block: number;
}

const PACE: Pace = { warmUp: 500, block: 200 };

/** Calls every contender in turn, block by block, each in a process of its own. */
export function measureWarm(stub: Stub, rounds: number): Promise<WarmCalls> {
  return recordInTurn(operationNames, (operation) => {
    const bundles = recordOf(contenders, (name) => bundleOf(name, operation));
    return compareWarm(bundles, operation, stub, rounds, PACE);
  });
}

/** Compares bundles that answer the same operation. */
export async function compareWarm<Name extends string>(
  bundles: Readonly<Record<Name, string>>,
  operation: OperationName,
  stub: Stub,
  rounds: number,
  { warmUp, block }: Pace,
): Promise<Record<Name, number[]>> {
  const events = [eventFor(operation, stub.tokens.valid)];
  const variables = variablesOf(operation, stub);
  const names = namesOf(bundles);
  const processes = await recordInTurn(names, (name) => startProcess(bundles[name], variables));
  const blocks = recordOf(names, (): number[] => []);
  for (const name of names) await processes[name].succeed({ events, times: warmUp });
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const { cpuMicros } = await processes[name].succeed({ events, times: block });
      blocks[name].push(cpuMicros / block);
    }
  }
  for (const name of names) await processes[name].stop();
  return blocks;
}

function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}
