import type { Outcome } from './driver.ts';
import { type Environment, eventFor, type Subject, startEnvironment } from './environment.ts';
import type { Stub } from './stub/start.ts';

/** What is measured with, and how often. */
export interface Setting {
  stub: Stub;
  rounds: number;
}

/** Starts every subject in turn, round by round, so that what slows one round slows all. */
export async function startInTurn<Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  { stub, rounds }: Setting,
): Promise<Record<Name, Outcome[]>> {
  const names = namesOf(subjects);
  const starts = recordOf(names, (): Outcome[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const environment = startEnvironment(subjects[name], stub);
      const event = eventFor(subjects[name].operation, stub.tokens.valid);
      starts[name].push(await succeed(environment, { event }));
      await environment.stop();
    }
  }
  return starts;
}

/** Calls every subject in turn, block by block, each in a process of its own. */
export async function callInTurn<Name extends string>(
  subjects: Readonly<Record<Name, Subject & { event: object }>>,
  { stub, rounds, warmUp, block }: Setting & { warmUp: number; block: number },
): Promise<Record<Name, { micros: number[]; resident: number[] }>> {
  const names = namesOf(subjects);
  const environments = recordOf(names, (name) => startEnvironment(subjects[name], stub));
  const calls = recordOf(names, () => ({ micros: [] as number[], resident: [] as number[] }));
  for (const name of names) {
    await succeed(environments[name], { event: subjects[name].event, times: warmUp });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const command = { event: subjects[name].event, times: block };
      const { callsMs, resident } = await succeed(environments[name], command);
      calls[name].micros.push((callsMs * 1000) / block);
      calls[name].resident.push(resident / 1e6);
    }
  }
  for (const name of names) await environments[name].stop();
  return calls;
}

/**
 * Calls a handler whose every reply must be a 200: a refusal costs less, and is no measurement.
 * @throws Error if one is not.
 */
export async function succeed(
  environment: Environment,
  command: Parameters<Environment['call']>[0],
) {
  const outcome = await environment.call(command);
  const { statusCode, body } = outcome.reply;
  if (statusCode !== 200) throw new Error(`A contender answered ${statusCode}: ${body}`);
  return outcome;
}

export const namesOf = <Name extends string>(record: Readonly<Record<Name, unknown>>) =>
  Object.keys(record) as Name[];

/** A record with a value for each of these names. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  const record = Object.fromEntries(names.map((name) => [name, make(name)]));
  return record as Record<Name, Value>;
}
