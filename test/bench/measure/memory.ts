import { type OperationName, operationNames } from '../../../functions/contract/operations.ts';
import { bundleOf } from '../contenders.ts';
import { eventFor, variablesOf } from '../lambda.ts';
import { recordOf } from '../records.ts';
import type { Stub } from '../stub/start.ts';
import { type Memory, startProcess } from './contender-process.ts';

const CALLS = 20_000;
/** A round takes most of a minute, and memory varies little. */
const MOST_ROUNDS = 3;

/** Memory after half of the calls and after all of them, in bytes. */
export interface MemoryUse {
  halfway: Memory;
  atEnd: Memory;
}

const measured = ['ours', 'sdk'] as const;
export type MemoryUses = Record<OperationName, Record<(typeof measured)[number], MemoryUse[]>>;

/** Calls the functions and the bare SDK handler 20,000 times each, in turn, in three rounds at most. */
export async function measureMemory(stub: Stub, rounds: number): Promise<MemoryUses> {
  const uses = recordOf(operationNames, () => recordOf(measured, (): MemoryUse[] => []));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const operation of operationNames) {
      for (const name of measured) {
        uses[operation][name].push(await memoryOf(bundleOf(name, operation), operation, stub));
      }
    }
  }
  return uses;
}

/** Calls a bundle 20,000 times. */
export async function memoryOf(
  bundle: string,
  operation: OperationName,
  stub: Stub,
): Promise<MemoryUse> {
  const variables = variablesOf(operation, stub);
  const subject = await startProcess(bundle, variables, ['--expose-gc']);
  const events = [eventFor(operation, stub.tokens.valid)];
  const use = { halfway: await half(), atEnd: await half() };
  await subject.stop();
  return use;

  /** In portions, so that the events that wait take no room of their own. */
  async function half(): Promise<Memory> {
    const portion = { events, times: CALLS / 80 };
    for (let call = portion.times; call < CALLS / 2; call += portion.times) {
      await subject.succeed(portion);
    }
    const { memory } = await subject.succeed(portion);
    return memory;
  }
}
