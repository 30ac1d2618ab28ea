import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { constructIdOf } from '../../../../infra/stack/recruitment-stack.ts';
import { applicationItem } from '../../../support/items.ts';
import { useService } from '../../../support/service.ts';
import { propertiesOf, templateOf } from '../../../support/stack.ts';

/** The words of the language that the queries use. */
const WORDS = /^(fields|filter|stats|sort|limit|by|as|and|desc|ispresent|count|sum|pct|bin|\d+h?)$/;

const bare = (query: string) => query.replace(/^#.*$/gm, '').replace(/"[^"]*"/g, '');

/** The members of a log line that a query reads. */
function fieldsOf(query: string): string[] {
  const text = bare(query);
  const aliases = [...text.matchAll(/ as (\w+)/g)].map(([, alias]) => alias);
  const words = text.match(/@?\w+/g) ?? [];
  return words.filter(
    (word) => !word.startsWith('@') && !WORDS.test(word) && !aliases.includes(word),
  );
}

describe('the saved queries', () => {
  const service = useService();
  let line: object = {};
  beforeAll(async () => {
    const candidate = 'ana@example.com';
    await service.table.put(applicationItem({ candidate }));
    await service.getApplication({ pathParameters: { id: 'j-1', candidate_id: candidate } });
    [line = {}] = service.log.lines;
  });

  it.each(Object.entries(queries))('%s reads members that a log line has', (_, query) => {
    const fields = fieldsOf(query);
    expect(fields.length).toBeGreaterThan(1);
    for (const field of fields) expect(line).toHaveProperty(field);
  });

  it('who-read-an-application finds the line, by the hash that its comment says how to compute', () => {
    const query = queries['who-read-an-application'];
    const [, operation] = /operation = "(\w+)"/.exec(query) ?? [];
    expect(line).toMatchObject({ operation, outcome: 'ok' });
    const [command = ''] = /printf .*/.exec(query) ?? [];
    const digits = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
    expect(line).toMatchObject({ candidate_id: `sha256:${digits}` });
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
