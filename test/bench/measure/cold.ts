import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type OperationName, operationNames } from '../../../functions/contract/operations.ts';
import { bundleOf, type Contender, contenders, driver } from '../contenders.ts';
import { eventFor, variablesOf } from '../lambda.ts';
import { recordOf } from '../records.ts';
import type { Stub } from '../stub/start.ts';

/** Processor time of a cold start, in milliseconds. */
export interface ColdStart {
  /** Before the module is loaded: of Node.js itself. No part of the total. */
  runtime: number;
  /** Until the module is loaded. */
  imported: number;
  /** Until it has come to rest: what it began in the background is done. */
  init: number;
  firstCall: number;
  /** Init and first call. */
  total: number;
}

export type ColdStarts = Record<OperationName, Record<Contender, ColdStart[]>>;

const ATTEMPTS = 3;

/** Starts every contender `rounds` times, each in turn, so that what slows one round slows all. */
export async function measureCold(stub: Stub, rounds: number): Promise<ColdStarts> {
  const starts = recordOf(operationNames, () => recordOf(contenders, (): ColdStart[] => []));
  for (let round = 0; round < rounds; round += 1) {
    for (const operation of operationNames) {
      for (const contender of contenders) {
        starts[operation][contender].push(await startUntilServed(contender, operation, stub));
      }
    }
  }
  return starts;
}

/** Starts a contender; again, where the machine was so busy that the keys of the issuer came too late. */
export async function startUntilServed(
  ...[contender, operation, stub]: Parameters<typeof startOnce>
): Promise<ColdStart> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await startOnce(contender, operation, stub);
    } catch (error) {
      process.stderr.write(`${error} Starting it again.\n`);
    }
  }
  return startOnce(contender, operation, stub);
}

/** Starts a contender once, in a process of its own. */
async function startOnce(
  contender: Contender,
  operation: OperationName,
  stub: Stub,
): Promise<ColdStart> {
  const event = JSON.stringify(eventFor(operation, stub.tokens.valid));
  const args = [driver('cold'), bundleOf(contender, operation), event];
  const child = spawn(process.execPath, args, {
    env: variablesOf(operation, stub),
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const closed = once(child, 'close');
  child.stdout?.resume();
  const [, , , channel] = child.stdio;
  const said = channel instanceof Readable ? await text(channel) : '';
  await closed;
  const { statusCode, ...start } = JSON.parse(said || '{}');
  if (statusCode !== 200) throw new Error(`${contender} answered ${statusCode} to ${operation}.`);
  return start;
}
