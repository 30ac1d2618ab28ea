import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { removeUnchanged } from '../../../../infra/commands/candidate/remove-application.ts';
import type { Table } from '../../../../infra/commands/cli/table.ts';
import { apply, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { applicationItem } from '../../../support/items.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const key = applicationKey('default', '4007', 'c-1');

const proxy = await FaultyProxy.start();
let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});
afterAll(() => proxy.stop());

const applied = (members = {}) => apply(table, candidate, ['4007'], members);
const read = async () => ({ ...(await table.read(key)), ...key });
const remove = async (on: Table = table) => removeUnchanged(on, await read());

describe('removing an application', () => {
  it('does nothing if the application is gone', async () => {
    expect(await removeUnchanged(table, applicationItem({ job: '4007' }))).toBe(false);
    expect(await storedIn(table)).toEqual([]);
  });

  it('keeps an application if a file has replaced a value that was not a file', async () => {
    await applied();
    const before = { ...(await read()), resume_url: { toString: 'x' } };
    await applied({ resume_url: 's3://files/new.pdf' });
    expect(await removeUnchanged(table, before)).toBe(false);
    expect(await read()).toMatchObject({ resume_url: 's3://files/new.pdf' });
  });

  it('returns true if the response to the first attempt is lost', async () => {
    await applied();
    proxy.expect('response lost', 'none');
    expect(await remove(through(proxy, table, 2))).toBe(true);
    expect(await storedIn(table)).toEqual([]);
  });

  it('throws if DynamoDB rejects the request', async () => {
    await applied();
    proxy.expect(dynamoError(400, 'AccessDeniedException'));
    await expect(remove(through(proxy, table))).rejects.toThrow('Invented.');
  });
});
