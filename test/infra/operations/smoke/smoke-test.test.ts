import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smokeTest } from '../../../../infra/operations/smoke/smoke-test.ts';
import { storedIn, through } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const refused = dynamoError(400, 'AccessDeniedException');

describe('a smoke test that cannot write its job', () => {
  let proxy: FaultyProxy;
  let table: TestTable;
  beforeAll(async () => {
    proxy = await FaultyProxy.start();
    table = await createTestTable();
  });
  afterAll(() => proxy.stop());

  const test = (...faults: Fault[]) => {
    proxy.expect(...faults);
    const signal = new AbortController().signal;
    const access = { baseUrl: new URL(proxy.url), timeoutMs: 1000, token: 'x', signal };
    const behind = through(proxy, table);
    return smokeTest({ access, table: behind, tenant: 'default', report: () => undefined });
  };

  it('removes what may have been written, and says why it was not written', async () => {
    await expect(test('answer lost', 'none')).rejects.toThrow(/ECONNRESET\.$/);
    expect(proxy.requests).toHaveLength(2);
    expect(await storedIn(table)).toEqual([]);
  });

  it('says what may be left if that cannot be removed either', async () => {
    await expect(test('answer lost', refused)).rejects.toThrow(
      /ECONNRESET.* smoke-.* may still be in the table.*AccessDenied/,
    );
  });

  it('does not speak of items left if the table rejected the write', async () => {
    await expect(test(refused)).rejects.toThrow(/^[^.]*\. AccessDeniedException: Invented\.$/);
    expect(proxy.requests).toHaveLength(1);
  });
});
