import { describe, expect } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { removeUnchanged } from '../../../../infra/operator/candidate/remove-application.ts';
import { apply, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test as it } from '../../../support/fixtures.ts';
import { applicationItem } from '../../../support/items.ts';
import type { TestTable } from '../../../support/table.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const key = applicationKey('default', '4007', 'c-1');

const applyTo = (table: TestTable, members = {}) => apply(table, candidate, ['4007'], members);
const read = async (table: TestTable) => ({ ...(await table.read(key)), ...key });

describe('removing an application', () => {
  it('does nothing if the application is gone', async ({ table }) => {
    expect(await removeUnchanged(table, applicationItem({ job: '4007' }))).toBe(false);
    expect(await storedIn(table)).toEqual([]);
  });

  it('keeps an application if a file has replaced a value that was not a file', async ({
    table,
  }) => {
    await applyTo(table);
    const before = { ...(await read(table)), resume_url: { toString: 'x' } };
    await applyTo(table, { resume_url: 's3://files/new.pdf' });
    expect(await removeUnchanged(table, before)).toBe(false);
    expect(await read(table)).toMatchObject({ resume_url: 's3://files/new.pdf' });
  });

  it('returns true if the response to the first attempt is lost', async ({ table, proxy }) => {
    await applyTo(table);
    proxy.expect('response lost', 'none');
    expect(await removeUnchanged(through(proxy, table, 2), await read(table))).toBe(true);
    expect(await storedIn(table)).toEqual([]);
  });

  it('throws if DynamoDB rejects the request', async ({ table, proxy }) => {
    await applyTo(table);
    proxy.expect(dynamoError(400, 'AccessDeniedException'));
    const removed = removeUnchanged(through(proxy, table), await read(table));
    await expect(removed).rejects.toThrow('Invented.');
  });
});
