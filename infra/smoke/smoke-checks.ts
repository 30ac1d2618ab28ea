import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { entityTag } from '../../functions/contract/headers.ts';
import { getApplication } from '../../functions/operations/get-application/contract.ts';
import { updateJobStatus } from '../../functions/operations/update-job-status/contract.ts';
import { applicationItem, newJobItem } from '../../functions/store/items.ts';
import { keyAttributes } from '../../functions/store/keys.ts';
import type { CommandIo } from '../command/run-command.ts';
import type { Table } from '../data/records/table.ts';
import type { TableOptions } from '../data/table/table-options.ts';
import { withTable } from '../data/table/with-table.ts';
import { type Access, type Check, runCheck } from './run-check.ts';

/** Lets DynamoDB delete what a killed test leaves behind. */
const ITEM_LIFETIME_S = 3600;
/** Until eventually consistent reads find the items, usually within a second. */
const CONSISTENCY_WAIT_MS = 5000;
const SECOND_MS = 1000;
/** The alarm `tokens-rejected` ignores refusals for this job (infra/stack/observability/request-metrics.ts). */
export const PROBED_JOB = 'probe';
const ROUNDS_PER_MINUTE = 60;

export interface SmokeOptions extends TableOptions, Access {
  tenant: string;
  /** Runs only the checks for a token without rights. */
  isProbe: boolean;
  file?: string | undefined;
  /** How long to repeat the requests that change nothing; 0 runs each check once. */
  durationMs: number;
  /** Monotonic, in milliseconds. */
  now(): number;
  /** @throws the signal's reason. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** @throws Error if a check failed or the items cannot be written or removed; the signal's reason after an abort. */
export async function smoke(options: SmokeOptions, io: CommandIo): Promise<undefined> {
  const { tenant, isProbe, file, durationMs } = options;
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const job = `smoke-${crypto.randomUUID()}`;
  if (isProbe) {
    await runAll(probeChecks, options, io.abortOnSignal(), print);
    print('Not checked without --table: reading an application, changing a status.');
    return;
  }
  const user_id = `smoke-${crypto.randomUUID()}`;
  const invented = { user_id, name: 'Smoke Test', email: 'smoke-test@example.com' };
  const application = { ...getApplication.response.example, ...invented };
  const endsAt = Math.ceil((Date.now() + durationMs) / SECOND_MS);
  const expiry = { [keyAttributes.timeToLive]: endsAt + ITEM_LIFETIME_S };
  const stored = { ...application, ...(file && { resume_url: file }), ...expiry };
  const items = [
    { ...newJobItem(tenant, job, 'published'), ...expiry },
    applicationItem(tenant, job, user_id, stored),
  ];
  const { resume_url: _, ...others } = application;
  const expected = file ? { members: others, opensFile: true } : { members: application };
  const reading = read('reads every field of the application', job, user_id, expected);
  // Changes nothing, so the API neither writes nor publishes an event.
  const keeping = update('keeps the status', job, 'published', { version: 1, ...etag(1) });
  await withTable(options, io, async (table, signal) => {
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    await write(table, puts);
    try {
      if (options.table !== undefined) await options.pause(CONSISTENCY_WAIT_MS, signal);
      if (durationMs > 0) await repeat([reading, keeping], options, signal, print);
      else
        await runAll([...rejectionChecks(job), reading, ...changes(job)], options, signal, print);
    } finally {
      const removals = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
      await write(table, removals).catch((error) => {
        print(`The job ${job} of tenant ${tenant} and its application may stay for an hour.`);
        throw error;
      });
    }
  });
}

type Writes = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

async function write({ client, name }: Table, requests: Writes): Promise<void> {
  const command = new BatchWriteCommand({ RequestItems: { [name]: requests } });
  const { UnprocessedItems: left = {} } = await client.send(command);
  if (Object.keys(left).length > 0) throw new Error('The table is too busy. Try again later.');
}

type Print = (line: string) => void;

async function runAll(checks: Check[], options: SmokeOptions, signal: AbortSignal, print: Print) {
  let failed = 0;
  const refusals = new Set<string>();
  for (const check of checks) {
    const start = options.now();
    const { faults, refusal } = await runCheck(check, options, signal);
    const time = `${(options.now() - start).toFixed(0)} ms`;
    print(lineOf(faults.length > 0 ? 'FAILED' : 'ok', time, check.name, ...faults));
    if (faults.length > 0) failed += 1;
    if (refusal !== undefined) refusals.add(refusal);
  }
  for (const refusal of refusals) print(`The service says: ${refusal}`);
  if (failed > 0) throw new Error(`The smoke test failed: ${failed} of ${checks.length} checks.`);
  print(`The smoke test passed: ${checks.length} checks.`);
}

/**
 * Tolerates one transient failure within a minute: a defective version fails more often, even with a tenth of the
 * traffic.
 */
async function repeat(checks: Check[], options: SmokeOptions, signal: AbortSignal, print: Print) {
  const { durationMs, now, pause } = options;
  const start = now();
  const seconds = () => `${((now() - start) / SECOND_MS).toFixed(1)} s`;
  let [sent, strictBefore] = [0, 0];
  for (let round = 0; now() < start + durationMs; round += 1) {
    const next = now() + SECOND_MS;
    for (const check of checks) {
      const { faults, isTransient, refusal } = await runCheck(check, options, signal);
      if (faults.length === 0) continue;
      const isTolerated = isTransient && round >= strictBefore;
      print(lineOf(isTolerated ? 'WARN' : 'FAILED', seconds(), check.name, ...faults));
      if (refusal !== undefined) print(`The service says: ${refusal}`);
      if (!isTolerated) throw new Error('The smoke test failed.');
      strictBefore = round + ROUNDS_PER_MINUTE;
    }
    sent += checks.length;
    if (round % ROUNDS_PER_MINUTE === 0) print(lineOf('ok', seconds(), `${sent} requests`));
    await pause(Math.max(0, next - now()), signal);
  }
  print(`The smoke test passed: ${sent} requests.`);
}

const lineOf = (verdict: string, time: string, name: string, ...faults: string[]) =>
  `${verdict.padEnd(6)} ${time.padStart(9)}  ${[name, faults.join('; ')].filter(Boolean).join(': ')}`;

const read = (name: string, id: string, candidate_id: string, expected: Partial<Check>): Check => ({
  ...{ name, operation: getApplication, parameters: { id, candidate_id } },
  ...expected,
});

const update = (name: string, id: string, status: string, expected: Partial<Check>): Check => ({
  ...{ name, operation: updateJobStatus, parameters: { id }, sent: { status } },
  ...expected,
});

const rejectionChecks = (job: string): Check[] => [
  read('rejects a read without a token', job, 'unknown', { problem: 'unauthenticated' }),
  read('does not find an unknown application', job, 'unknown', {
    problem: 'application_not_found',
  }),
  update('rejects an unknown status', job, 'smoking', { problem: 'invalid_body' }),
  update('does not find an unknown job', `${job}-other`, 'paused', { problem: 'job_not_found' }),
];

/** If the second check gets 403, not 401, then gateway, issuer, keys and audience work. */
const probeChecks: Check[] = [
  read('rejects a read without a token', PROBED_JOB, 'unknown', { problem: 'unauthenticated' }),
  read('lets the token read nothing', PROBED_JOB, 'unknown', { problem: 'insufficient_scope' }),
  // No job has version 0, so even a token with rights changes nothing.
  update('lets the token change nothing', PROBED_JOB, 'paused', {
    problem: 'insufficient_scope',
    version: 0,
  }),
];

const etag = (version: number) => ({ members: { etag: entityTag(version) } });
const stale = { version: 1, ...etag(2) };

/** Every transition policy allows both changes. The last restores the status. */
const changes = (job: string): Check[] => [
  update('changes the status', job, 'paused', { version: 1, ...etag(2) }),
  update('rejects a stale If-Match', job, 'closed', { problem: 'version_mismatch', ...stale }),
  update('restores the status', job, 'published', { version: 2, ...etag(3) }),
];
