import { setTimeout as sleep } from 'node:timers/promises';
import { explainFailure } from '../../cli/failure.ts';
import type { Table } from '../../cli/table.ts';
import { challengeHeaders, codeOf } from '../../openapi/check-response.ts';
import { type ApiAccess, NoAnswer, send } from './api-client.ts';
import { mismatches } from './expectation.ts';
import {
  newTestRecords,
  removeRecords,
  type TestRecords,
  writeRecords,
  wroteNothing,
} from './records.ts';
import { rejections, type Step, uses } from './steps.ts';

/** How long an eventually consistent read may miss an earlier write, in milliseconds. */
const SETTLING_MS = 5000;
const PAUSE_MS = 250;

/** What a smoke test needs. */
export interface SmokeTest {
  access: ApiAccess;
  /** The table behind the API; without it, only rejections are checked. */
  table?: Table | undefined;
  /** The tenant that the token acts in. */
  tenant: string;
  /** Called with a line for each step. */
  report: (line: string) => void;
}

/** How many steps passed, and how many failed. */
export interface SmokeCounts {
  passed: number;
  failed: number;
}

/**
 * Checks a deployment from outside, with a job and an application that it writes to the table itself
 * (the API has no operation for that) and always removes at the end. Stops before the next step if the
 * signal of `access` is aborted.
 * @throws Error if the table cannot be written; the message says why, and what may be left in it.
 */
export async function smokeTest({ table, tenant, ...io }: SmokeTest): Promise<SmokeCounts> {
  const records = newTestRecords(tenant);
  if (table === undefined) return runSteps(rejections(records), io);
  try {
    await writeRecords(table, records);
  } catch (error) {
    const why = `The job for the test cannot be written. ${explainFailure(error, table.name)}`;
    const left = wroteNothing(error) ? '' : await clear(table, records);
    throw new Error(`${why} ${left}`.trim(), { cause: error });
  }
  const running = runSteps([...rejections(records), ...uses(records)], io);
  await Promise.allSettled([running]);
  const left = await clear(table, records);
  const counts = await running.catch((error) => {
    // The first failure is thrown.
    if (left !== '') io.report(left);
    throw error;
  });
  if (left !== '') throw new Error(left);
  return counts;
}

/** Removes what was written; returns a message if something may be left. */
async function clear(table: Table, records: TestRecords): Promise<string> {
  try {
    await removeRecords(table, records);
    return '';
  } catch (error) {
    return (
      `The job ${records.job} of tenant ${records.tenant} and its application may still be in the ` +
      `table; they expire in an hour. ${explainFailure(error, table.name)}`
    );
  }
}

type Io = Pick<SmokeTest, 'access' | 'report'>;

async function runSteps(steps: readonly Step[], { access, report }: Io): Promise<SmokeCounts> {
  const counts = { passed: 0, failed: 0 };
  for (const step of steps) {
    if (access.signal.aborted) break;
    const { wrong, challengeHeader, milliseconds } = await runStep(step, access);
    counts[wrong.length === 0 ? 'passed' : 'failed'] += 1;
    const verdict = wrong.length === 0 ? 'ok    ' : 'FAILED';
    const challenge = challengeHeader === undefined ? '' : ` (challenge in ${challengeHeader})`;
    const why = wrong.length === 0 ? challenge : `: ${wrong.join('; ')}`;
    report(`${verdict} ${milliseconds.toFixed(0).padStart(6)} ms  ${step.name}${why}`);
  }
  return counts;
}

/** What is wrong with a step's last answer, in which header its challenge came, and how long it took. */
interface Outcome {
  wrong: string[];
  challengeHeader: string | undefined;
  milliseconds: number;
}

async function runStep(step: Step, access: ApiAccess): Promise<Outcome> {
  const until = performance.now() + SETTLING_MS;
  for (;;) {
    const sent = performance.now();
    const { wrong, challengeHeader, code } = await attempt(step, access);
    const now = performance.now();
    const outcome = { wrong, challengeHeader, milliseconds: now - sent };
    if (code === undefined || code !== step.settlesAfter) return outcome;
    if (now > until || access.signal.aborted) {
      return { ...outcome, wrong: step.hint === undefined ? wrong : [...wrong, step.hint] };
    }
    await sleep(PAUSE_MS);
  }
}

async function attempt({ request, expected }: Step, access: ApiAccess) {
  try {
    const answer = await send(request, access);
    return {
      wrong: mismatches(request.operation, expected, answer),
      challengeHeader: challengeHeaders.find((name) => name.toLowerCase() in answer.headers),
      code: codeOf(answer.body),
    };
  } catch (error) {
    if (error instanceof NoAnswer) {
      return { wrong: [error.message], challengeHeader: undefined, code: undefined };
    }
    throw error;
  }
}
