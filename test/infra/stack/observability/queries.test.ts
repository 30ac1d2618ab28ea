import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { applicationItem } from '../../../support/items.ts';
import { startService } from '../../../support/service.ts';

describe('the saved queries', async () => {
  const service = await startService();
  const candidate = 'ana@example.com';
  await service.table.put(applicationItem({ candidate }));
  await service.getApplication({ pathParameters: { id: 'j-1', candidate_id: candidate } });
  const [line = {}] = service.log.lines;

  it('who-read-an-application finds the line, by the hash that its comment says how to compute', () => {
    const query = queries['who-read-an-application'];
    const [, operation] = /operation = "(\w+)"/.exec(query) ?? [];
    expect(line).toMatchObject({ operation, outcome: 'ok' });
    const [command = ''] = /printf .*/.exec(query) ?? [];
    const hash = execFileSync('sh', ['-c', command], { encoding: 'utf8' });
    expect(line).toMatchObject({ candidate_id: hash });
  });
});
