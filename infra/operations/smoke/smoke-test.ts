import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../openapi/check-response.ts';
import { explainFailure } from '../import/explain-failure.ts';
import { type ApiAccess, NoAnswer, send } from './api-client.ts';
import { departures } from './expectation.ts';
import {
  type ApiTable,
  hasWrittenNothing,
  makeRecords,
  newSubject,
  removeRecords,
  type Subject,
} from './records.ts';
import { refusals, type Step, uses } from './steps.ts';

/** How long an eventually consistent read may miss what was written before, in milliseconds. */
const SETTLING_MS = 5000;
const PAUSE_MS = 250;

/** What a smoke test needs. */
export interface SmokeTest {
  access: ApiAccess;
  /** The table behind the API; without it, only refusals are checked. */
  table?: ApiTable | undefined;
  /** The tenant that the token acts in. */
  tenant: string;
  /** Called with a line for each step. */
  report: (line: string) => void;
}

/** What has become of the steps. */
export interface SmokeCounts {
  passed: number;
  failed: number;
}

/**
 * Checks a deployment from outside, on a job and an application that it makes in the table itself (the
 * API has no operation that does) and removes at the end, whatever comes between. Stops before the
 * next step where the signal of `access` says so.
 * @throws Error where the table cannot be written; the message says so, and what may be left in it.
 */
export async function smokeTest({ table, tenant, ...how }: SmokeTest): Promise<SmokeCounts> {
  const subject = newSubject(tenant);
  if (table === undefined) return take(refusals(subject), how);
  try {
    await makeRecords(table, subject);
  } catch (error) {
    const why = `The job cannot be made. ${explainFailure(error, table.tableName)}`;
    const left = hasWrittenNothing(error) ? '' : await clear(table, subject);
    throw new Error(`${why} ${left}`.trim(), { cause: error });
  }
  const taken = take([...refusals(subject), ...uses(subject)], how);
  await Promise.allSettled([taken]);
  const left = await clear(table, subject);
  const counts = await taken.catch((error) => {
    // What has failed first is thrown.
    if (left !== '') how.report(left);
    throw error;
  });
  if (left !== '') throw new Error(left);
  return counts;
}

/** Removes what was made; says what may be left, if anything. */
async function clear(table: ApiTable, subject: Subject): Promise<string> {
  try {
    await removeRecords(table, subject);
    return '';
  } catch (error) {
    return (
      `The job ${subject.job} of the tenant ${subject.tenant} may be left in the table, with its ` +
      `application; it expires in an hour. ${explainFailure(error, table.tableName)}`
    );
  }
}

type How = Pick<SmokeTest, 'access' | 'report'>;

async function take(steps: readonly Step[], { access, report }: How): Promise<SmokeCounts> {
  const counts = { passed: 0, failed: 0 };
  for (const step of steps) {
    if (access.signal.aborted) break;
    const { wrong, milliseconds } = await outcomeOf(step, access);
    counts[wrong.length === 0 ? 'passed' : 'failed'] += 1;
    const verdict = wrong.length === 0 ? 'ok    ' : 'FAILED';
    const why = wrong.length === 0 ? '' : `: ${wrong.join('; ')}`;
    report(`${verdict} ${milliseconds.toFixed(0).padStart(6)} ms  ${step.name}${why}`);
  }
  return counts;
}

/** What became of a step, and how long its answer took; the last one's where there were several. */
interface Outcome {
  wrong: string[];
  milliseconds: number;
}

async function outcomeOf(step: Step, access: ApiAccess): Promise<Outcome> {
  const until = performance.now() + SETTLING_MS;
  for (;;) {
    const sent = performance.now();
    const { wrong, code } = await attempt(step, access);
    const now = performance.now();
    const settles = code !== undefined && code === step.settlesAfter;
    if (!settles || now > until || access.signal.aborted)
      return { wrong, milliseconds: now - sent };
    await sleep(PAUSE_MS);
  }
}

async function attempt({ request, expected }: Step, access: ApiAccess) {
  try {
    const answer = await send(request, access);
    return {
      wrong: departures(request.operation, expected, answer),
      code: codeOf(answer.body),
    };
  } catch (error) {
    if (error instanceof NoAnswer) return { wrong: [error.message], code: undefined };
    throw error;
  }
}
