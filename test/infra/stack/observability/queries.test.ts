import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/operations/operations.ts';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { constructIdOf } from '../../../../infra/stack/recruitment-stack.ts';
import { applicationItem } from '../../../support/items.ts';
import { startService } from '../../../support/service.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';

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

  it('are saved with the logs of all functions', () => {
    const template = templateOf({ stage: 'prod' });
    const saved = propertiesOf(template, 'AWS::Logs::QueryDefinition');
    expect(saved.map(({ Name }) => Name).toSorted()).toEqual(
      Object.keys(queries)
        .map((name) => `RecruitmentService-prod/${name}`)
        .toSorted(),
    );
    for (const { LogGroupNames: groups, QueryString: query } of saved) {
      expect(groups).toEqual(
        operationNames.map((name) => ({
          Ref: expect.stringMatching(`^${constructIdOf(name)}Logs`),
        })),
      );
      expect(query).toMatch(/^# /);
    }
  });
});
