import { type OperationName, operationNames } from '../../../functions/contract/operations.ts';
import { bundleOf, type Contender, contenders } from '../contenders.ts';
import { eventFor, variablesOf } from '../lambda.ts';
import { recordInTurn, recordOf } from '../records.ts';
import type { Stub } from '../stub/start.ts';
import { startProcess } from './contender-process.ts';

/** Processor time of a warm call, in microseconds: the mean of each block of calls. */
export type WarmCalls = Record<OperationName, Record<Contender, number[]>>;

const WARM_UP = 500;
/** Long enough for the garbage of each call to be paid for within the block. */
const BLOCK = 200;

/** Calls every contender in turn, block by block, each in a process of its own. */
export function measureWarm(stub: Stub, rounds: number): Promise<WarmCalls> {
  return recordInTurn(operationNames, (operation) => {
    const bundles = recordOf(contenders, (name) => bundleOf(name, operation));
    return compareWarm(bundles, operation, stub, rounds);
  });
}

/** Compares bundles that answer the same operation. */
export async function compareWarm<Name extends string>(
  bundles: Readonly<Record<Name, string>>,
  operation: OperationName,
  stub: Stub,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const event = eventFor(operation, stub.tokens.valid);
  const variables = variablesOf(operation, stub);
  const names = namesOf(bundles);
  const processes = await recordInTurn(names, (name) => startProcess(bundles[name], variables));
  const blocks = recordOf(names, (): number[] => []);
  for (const name of names) await processes[name].call(event, WARM_UP);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const { replies, cpuMicros } = await processes[name].call(event, BLOCK);
      if (replies.some(({ statusCode }) => statusCode !== 200)) {
        throw new Error(`${name} refused ${operation}: ${replies.map(({ body }) => body)}`);
      }
      blocks[name].push(cpuMicros / BLOCK);
    }
  }
  for (const name of names) await processes[name].stop();
  return blocks;
}

function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(record) as Name[];
}
