import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { anonymise, type Erasure, remove } from '../../../../infra/commands/candidate/erasure.ts';
import type { Table } from '../../../../infra/commands/cli/table.ts';
import { apply, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { applicationItem, fullApplication } from '../../../support/items.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const key = applicationKey('default', '4007', 'c-1');

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

const applied = (members = {}) => apply(table, candidate, ['4007'], members);

/** Erases an application as it is stored now. */
const erase = async (erasure: Erasure, on: Table = table, of = key) =>
  erasure(on, candidate, { ...(await table.read(of)), ...of });

async function left() {
  const [item = {}, ...others] = await storedIn(table);
  expect(others).toEqual([]);
  return item;
}

describe('anonymising an application', () => {
  it('keeps job, stage, score and day, under a random id, and nothing else', async () => {
    const stored = { ...fullApplication, expires_at: 4_102_444_799, nickname: 'Aninha' };
    await table.put(applicationItem({ job: '4007' }, stored));
    expect(await erase(anonymise)).toBe('anonymised');
    const { user_id, ...item } = await left();
    expect(user_id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(item).toEqual({
      ...applicationKey('default', '4007', String(user_id)),
      tenant_id: 'default',
      job_id: '4007',
      name: 'Erased',
      email: 'erased@erased.invalid',
      stage_id: fullApplication.stage_id,
      stage_title: fullApplication.stage_title,
      score: 8.5,
      created_at: '2026-09-14T00:00:00.000Z',
      expires_at: Date.parse('2099-12-31') / 1000,
    });
  });

  it.each([
    { stage_id: 5 },
    { stage_title: undefined },
    { created_at: 'yesterday' },
    { created_at: 1 },
  ])('removes one that does not fit the contract, with %j', async (members) => {
    const item = applicationItem({ job: '4007' }, { ...fullApplication, ...members });
    await table.put(JSON.parse(JSON.stringify(item)));
    expect(await erase(anonymise)).toBe('removed');
    expect(await storedIn(table)).toEqual([]);
  });
});

it.each([
  [remove, 'gone'],
  [anonymise, 'changed'],
])('does nothing if the application is gone: $1', async (erasure, outcome) => {
  expect(await erasure(table, candidate, applicationItem({ job: '4007' }))).toBe(outcome);
  expect(await storedIn(table)).toEqual([]);
});

describe('erasing while another writes', () => {
  let proxy: FaultyProxy;
  beforeAll(async () => {
    proxy = await FaultyProxy.start();
  });
  afterAll(() => proxy.stop());
  const anonymiseThrough = (...faults: Fault[]) => {
    proxy.expect(...faults);
    return erase(anonymise, through(proxy, table));
  };

  it.each([
    { stage_id: 'st-9' },
    { stage_title: 'Hired' },
    { score: 9.5 },
    { score: null },
    { created_at: '2026-09-15T12:30:45.123Z' },
    { expires_at: 4_102_444_800 },
  ])('takes what is new for what is kept: %j', async (members) => {
    await applied({ score: 8.5 });
    const before = { ...(await table.read(key)), ...key };
    await applied({ score: 8.5, ...members });
    const now = await storedIn(table);
    expect(await anonymise(table, candidate, before)).toBe('changed');
    expect(await storedIn(table)).toEqual(now);
    expect(await erase(anonymise)).toBe('anonymised');
  });

  it.each([remove, anonymise])(
    'keeps a file that takes the place of what was none: %o',
    async (erasure) => {
      await applied();
      const before = { ...(await table.read(key)), ...key, resume_url: { toString: 'x' } };
      await applied({ resume_url: 's3://files/new.pdf' });
      expect(await erasure(table, candidate, before)).toBe('changed');
      expect(await left()).toMatchObject({ resume_url: 's3://files/new.pdf' });
    },
  );

  it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'leaves for the next search what is cancelled by %s',
    async (Code) => {
      await applied();
      expect(await anonymiseThrough(cancelled([{ Code }, { Code: 'None' }]))).toBe('changed');
    },
  );

  it.each([
    [remove, 'removed', ['response lost', 'none'], 0],
    [anonymise, 'anonymised', ['response lost', 'none'], 1],
  ] as const)(
    'counts what is done though its response is lost: $1',
    async (erasure, outcome, faults, count) => {
      await applied();
      proxy.expect(...faults);
      expect(await erase(erasure, through(proxy, table, 2))).toBe(outcome);
      expect(await storedIn(table)).toHaveLength(count);
    },
  );

  it('stops at what is cancelled for other reasons', async () => {
    await applied();
    const reasons = [{ Code: 'None' }, { Code: 'ItemCollectionSizeLimitExceeded' }];
    await expect(anonymiseThrough(cancelled(reasons))).rejects.toThrow('Invented.');
    const refusal = dynamoError(400, 'AccessDeniedException');
    await expect(anonymiseThrough(refusal)).rejects.toThrow('Invented.');
    proxy.expect(refusal);
    await expect(erase(remove, through(proxy, table))).rejects.toThrow('Invented.');
  });
});

const cancelled = (CancellationReasons: object[]) => ({
  status: 400,
  body: JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message: 'Invented.',
    CancellationReasons,
  }),
});
