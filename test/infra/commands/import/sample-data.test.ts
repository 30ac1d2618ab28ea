import { createReadStream, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Dependencies } from '../../../../functions/runtime/dependencies.ts';
import { systemClock, systemTimer } from '../../../../functions/runtime/moment.ts';
import { applications } from '../../../../functions/store/applications.ts';
import { applicationKey, jobKey } from '../../../../functions/store/keys.ts';
import { SAMPLE } from '../../../support/operator-command.ts';
import { load } from '../../../support/records.ts';
import { credentials } from '../../../support/signature.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const text = readFileSync(SAMPLE, 'utf8');
const lines: Record<string, string>[] = text
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

describe('the sample data', () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await createTestTable();
    const { counts, refused } = await load(table, createReadStream(SAMPLE));
    expect(refused).toEqual([]);
    expect(counts).toEqual({ jobs: 3, applications: 12, expired: 0, refused: 0 });
  });
  afterAll(() => vi.unstubAllEnvs());

  it('can be read by the API, every application of it', async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    const files = { buckets: ['recruitment-local'], url: 'http://127.0.0.1:3000/files' };
    const { get } = applications({
      client: table.client,
      environment: { tableName: table.name, region: 'us-east-1', files },
      clock: systemClock,
      timer: systemTimer,
      awsNow: () => new Date(),
    } as Dependencies);
    const { signal } = new AbortController();
    const ofApplications = lines.filter(({ type }) => type === 'application');
    for (const { type: _, expires_at: __, tenant = '', job_id = '', ...given } of ofApplications) {
      const application = await get(tenant, job_id, given.user_id ?? '', signal);
      const told = Object.entries(given)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [
          name,
          value?.startsWith?.('s3://') ? expect.stringMatching(/^http.*Signature/) : value,
        ]);
      expect(application).toMatchObject(Object.fromEntries(told));
    }
  });

  it('holds the example of the README, complete in every field', async () => {
    expect(await table.read(jobKey('default', '4007'))).toMatchObject({ status: 'draft' });
    const item = await table.read(applicationKey('default', '4007', 'c-1001'));
    // Its key and that of the index, its tenant, its job, and the 19 fields of the specification.
    expect(Object.keys(item ?? {})).toHaveLength(2 + 1 + 2 + 19);
    for (const value of Object.values(item ?? {})) expect(value).not.toEqual([]);
  });

  it('names no real person: its hosts are reserved for examples', () => {
    const hosts = text.match(/(?<=@|:\/\/|"linked_in":")(?<!s3:\/\/)[\w.-]+/g) ?? [];
    expect(hosts.length).toBeGreaterThan(20);
    for (const host of hosts) expect(host).toMatch(/(^|\.)example\.com$/);
  });
});
