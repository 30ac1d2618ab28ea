import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { getApplication } from '../../../functions/contract/get-application.ts';
import { bearerChallenge, entityTag } from '../../../functions/contract/headers.ts';
import { updateJobStatus } from '../../../functions/contract/update-job-status.ts';
import { applicationItem, newJobItem } from '../../../functions/store/items.ts';
import { attributes } from '../../../functions/store/keys.ts';
import type { CommandIo } from '../cli/command.ts';
import { onTable, type Table } from '../cli/table.ts';
import type { TableOptions } from '../cli/table-options.ts';
import { type Access, attempt, type Step } from './attempt.ts';

/** After how long DynamoDB may remove what a killed smoke test left, in seconds. */
const LIFETIME_S = 3600;
/** How long to wait before an eventually consistent read is tried again. */
const PAUSE_MS = 250;

export interface SmokeOptions extends TableOptions, Access {
  /** The tenant that the token acts in. */
  tenant: string;
  /** Whether to check only what needs nothing in the table. */
  isPartial: boolean;
  /** How long an eventually consistent read may miss an earlier write, in milliseconds. */
  settlingMs: number;
}

/** Checks a deployment, and prints a line for each check; returns the exit code. */
export async function smoke(options: SmokeOptions, io: CommandIo): Promise<number> {
  const { tenant, isPartial } = options;
  const job = `smoke-${crypto.randomUUID()}`;
  const user_id = `smoke-${crypto.randomUUID()}`;
  const invented = { user_id, name: 'Smoke Test', email: 'smoke-test@example.com' };
  const application = { ...getApplication.response.example, ...invented };
  const steps = [...rejections(job), ...(isPartial ? [] : uses(job, application, tenant))];
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const run = (signal: AbortSignal) => runSteps(steps, options, signal, print);
  const expiry = { [attributes.timeToLive]: Math.floor(Date.now() / 1000) + LIFETIME_S };
  const items = [
    { ...newJobItem(tenant, job, 'published'), ...expiry },
    applicationItem(tenant, job, user_id, { ...application, ...expiry }),
  ];
  const runOn = async (table: Table, signal: AbortSignal) => {
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    await write(table, puts);
    try {
      return await run(signal);
    } finally {
      const removals = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
      await write(table, removals).catch((error) => {
        print(
          `The job ${job} of tenant ${tenant} and its application may still be in the table; they ` +
            'expire in an hour.',
        );
        throw error;
      });
    }
  };
  const failed = isPartial ? await run(io.interruption()) : await onTable(options, io, runOn);
  if (failed > 0) throw new Error(`The smoke test failed: ${failed} of ${steps.length} checks.`);
  print(`The smoke test passed: ${steps.length} checks.`);
  if (isPartial) print('Not checked without --table: reading an application, changing a status.');
  return 0;
}

type Writes = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

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
    members: { 'www-authenticate': bearerChallenge() },
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
    members: { ...application },
    hint:
      `it was written for the tenant "${tenant}": check that the token acts in this tenant ` +
      '(--tenant), and that the API uses the same table (--table)',
  }),
  update('changes the status', job, 'paused', { version: 1, members: { etag: entityTag(2) } }),
  update('rejects a stale If-Match', job, 'closed', {
    version: 1,
    problem: 'version_mismatch',
    members: { etag: entityTag(2) },
  }),
  update('restores the status', job, 'published', { version: 2, members: { etag: entityTag(3) } }),
];

/** Returns how many checks failed. A read that does not find what was written is tried again for a while. */
async function runSteps(
  steps: readonly Step[],
  options: SmokeOptions,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<number> {
  let failed = 0;
  for (const step of steps) {
    let started = performance.now();
    const until = started + options.settlingMs;
    let wrong = await attempt(step, options, signal);
    while (wrong.includes(step.hint ?? '') && performance.now() < until) {
      await sleep(PAUSE_MS, undefined, { signal });
      started = performance.now();
      wrong = await attempt(step, options, signal);
    }
    const time = (performance.now() - started).toFixed(0).padStart(6);
    const verdict = wrong.length > 0 ? 'FAILED' : 'ok    ';
    if (wrong.length > 0) failed += 1;
    print(`${verdict} ${time} ms  ${[step.name, wrong.join('; ')].filter(Boolean).join(': ')}`);
  }
  return failed;
}
