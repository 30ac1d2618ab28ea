import { beforeAll, describe, expect, it } from 'vitest';
import { applications } from '../../functions/store/applications.ts';
import { documentClient } from '../../functions/store/client.ts';
import { applicationKey } from '../../functions/store/keys.ts';
import { createTestTable, type TestTable } from '../support/table.ts';

describe('applications', () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await createTestTable();
  });
  const { signal } = new AbortController();

  it('reads', async () => {
    await table.put({
      ...applicationKey('default', 'j', 'c'),
      user_id: 'c',
      name: 'n',
      email: 'e',
      stage_id: 's',
      stage_title: 't',
      created_at: '2026-01-01T00:00:00.000Z',
      score: 1,
      junk: 1,
    });
    const found = await applications(documentClient(), table.name).get('default', 'j', 'c', signal);
    expect(found.name).toBe('n');
  });
});
