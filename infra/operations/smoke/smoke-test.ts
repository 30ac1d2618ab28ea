import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { getApplication } from '../../../functions/contract/get-application.ts';
import { bearerChallenge, entityTag } from '../../../functions/contract/headers.ts';
import { updateJobStatus } from '../../../functions/contract/update-job-status.ts';
import { applicationAttributes, type Item } from '../../../functions/store/items.ts';
import type { CommandIo } from '../../cli/command.ts';
import { explain } from '../../cli/failure.ts';
import { onTable, type Table } from '../../cli/table.ts';
import type { TableOptions } from '../../cli/table-options.ts';
import { readRecord } from '../import/records.ts';
import { type Access, attempt, type Step } from './attempt.ts';

/** After how long DynamoDB may remove what a killed smoke test left, in seconds. */
const LIFETIME_S = 3600;

/** Time limits, in milliseconds. */
export interface Limits {
  /** Of the whole test. */
  totalMs: number;
  /** How long an eventually consistent read may miss an earlier write, and how often it is tried. */
  settlingMs: number;
  pauseMs: number;
}

/** What to check, and where. */
export interface SmokeOptions extends TableOptions, Omit<Access, 'signal'> {
  /** The tenant that the token acts in. */
  tenant: string;
  /** Whether to check only what needs nothing in the table. */
  isPartial: boolean;
}

/** Checks a deployment, and prints a line for each check; returns the exit code. */
export async function smoke(options: SmokeOptions, io: CommandIo, limits: Limits): Promise<number> {
  const job = `smoke-${crypto.randomUUID()}`;
  const signal = AbortSignal.any([io.interruption(), AbortSignal.timeout(limits.totalMs)]);
  const run = { options, limits, signal, print: (line: string) => io.stdout.write(`${line}\n`) };
  const { passed, failed } = options.isPartial
    ? await runSteps(rejections(job), run)
    : await onTable(options, io, (table) => smokeOn(table, job, run));
  if (signal.aborted) throw new Error(`The smoke test did not finish. ${explain(signal.reason)}`);
  if (failed > 0) throw new Error(`The smoke test failed: ${failed} of ${passed + failed} checks.`);
  run.print(`The smoke test passed: ${passed} checks.`);
  if (options.isPartial) {
    run.print('Not checked without --table: reading an application, changing a status.');
  }
  return 0;
}

interface Run {
  options: SmokeOptions;
  limits: Limits;
  signal: AbortSignal;
  print: (line: string) => void;
}

/** Runs all checks with a job and an application that exist for them, and always removes both. */
async function smokeOn(table: Table, job: string, run: Run) {
  const { tenant } = run.options;
  const user_id = `smoke-${crypto.randomUUID()}`;
  const invented = { user_id, name: 'Smoke Test', email: 'smoke-test@example.com' };
  const application = { ...getApplication.response.example, ...invented };
  const items = [
    { type: 'job', tenant, id: job, status: 'published' },
    { type: 'application', tenant, job_id: job, ...application },
  ].map(itemOf);
  const puts = items.map((Item) => ({ PutRequest: { Item } }));
  await write(table, puts);
  try {
    return await runSteps([...rejections(job), ...uses(job, application, tenant)], run);
  } finally {
    const requests = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await write(table, requests).catch((error) => {
      run.print(
        `The job ${job} of tenant ${tenant} and its application may still be in the table; they ` +
          `expire in an hour. ${explain(error)}`,
      );
      throw error;
    });
  }
}

/** The item as the import makes it, checked by the same schemas. */
function itemOf(record: object): Item {
  const read = readRecord(Buffer.from(JSON.stringify(record)));
  if (read === undefined || 'reason' in read) throw new Error(`Refused: ${read?.reason}.`);
  const expiry = Math.floor(Date.now() / 1000) + LIFETIME_S;
  return { ...read.item, [applicationAttributes.expiresAt]: expiry };
}

type Writes = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Record<string, string> } }[];

async function write({ client, name }: Table, requests: Writes): Promise<void> {
  const command = new BatchWriteCommand({ RequestItems: { [name]: requests } });
  const { UnprocessedItems: left = {} } = await client.send(command);
  if (Object.keys(left).length > 0) throw new Error('The table is too busy: try again later.');
}

type Expected = Omit<Step, 'name' | 'operation' | 'parameters' | 'sent'>;

const read = (name: string, id: string, candidate_id: string, expected: Expected): Step => ({
  ...{ name, operation: getApplication, parameters: { id, candidate_id } },
  ...expected,
});

const update = (name: string, id: string, status: string, expected: Expected): Step => ({
  ...{ name, operation: updateJobStatus, parameters: { id }, sent: { status } },
  ...expected,
});

/** Requests that are rejected whatever the table contains. */
const rejections = (job: string): Step[] => [
  read('rejects a read without a token', job, 'unknown', {
    isAnonymous: true,
    problem: 'unauthenticated',
    // RFC 6750, section 3.1: no error code if the request has no credentials.
    headers: { 'www-authenticate': bearerChallenge() },
  }),
  read('answers 404 for an unknown application', job, 'unknown', {
    problem: 'application_not_found',
  }),
  update('rejects an unknown status', job, 'smoking', { problem: 'invalid_body' }),
  update('answers 404 for an unknown job', `${job}-other`, 'paused', { problem: 'job_not_found' }),
];

/**
 * A read of the application and two changes of the job. Every transition policy allows both changes, and
 * the job ends with the status that it had.
 */
const uses = (job: string, application: { user_id: string }, tenant: string): Step[] => [
  read('reads every field of the application', job, application.user_id, {
    body: { ...application },
    hint:
      `it was written for the tenant "${tenant}": check that the token acts in this tenant ` +
      '(--tenant), and that the API uses the same table (--table)',
  }),
  update('changes the status', job, 'paused', { version: 1, headers: { etag: entityTag(2) } }),
  update('rejects a stale If-Match', job, 'closed', {
    version: 1,
    problem: 'version_mismatch',
    headers: { etag: entityTag(2) },
  }),
  update('restores the status', job, 'published', { version: 2, headers: { etag: entityTag(3) } }),
];

async function runSteps(steps: readonly Step[], run: Run) {
  const counts = { passed: 0, failed: 0 };
  for (const step of steps) {
    if (run.signal.aborted) break;
    const { wrong, challenge, milliseconds } = await settled(step, run);
    counts[wrong.length === 0 ? 'passed' : 'failed'] += 1;
    const verdict = wrong.length === 0 ? 'ok    ' : 'FAILED';
    const more =
      wrong.length > 0 ? `: ${wrong.join('; ')}` : challenge && ` (challenge in ${challenge})`;
    run.print(`${verdict} ${milliseconds.toFixed(0).padStart(6)} ms  ${step.name}${more ?? ''}`);
  }
  return counts;
}

/** The outcome of a step; a read that does not find what was written is tried again for a while. */
async function settled(step: Step, { options, limits, signal }: Run) {
  const access: Access = { ...options, signal };
  const until = performance.now() + limits.settlingMs;
  for (;;) {
    const started = performance.now();
    const outcome = { ...(await attempt(step, access)), milliseconds: performance.now() - started };
    if (step.hint === undefined || outcome.code !== 'application_not_found') return outcome;
    if (performance.now() > until || signal.aborted) {
      return { ...outcome, wrong: [...outcome.wrong, step.hint] };
    }
    await sleep(limits.pauseMs);
  }
}
