import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { constructIdOf } from '../../../../infra/stack/recruitment-stack.ts';
import { applicationItem } from '../../../support/items.ts';
import { loadFunctions, useService } from '../../../support/service.ts';
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
  beforeEach(async () => {
    await service.table.put(applicationItem({ candidate: 'ana@example.com' }));
    const functions = await loadFunctions(service);
    await functions.getApplication({
      pathParameters: { id: 'j-1', candidate_id: 'ana@example.com' },
    });
  });

  it.each(Object.entries(queries))(
    '%s reads members that the log line of a request has',
    (_, query) => {
      const fields = fieldsOf(query);
      expect(fields.length).toBeGreaterThan(1);
      const [line = {}] = service.log.lines;
      for (const field of fields) expect(line).toHaveProperty(field);
    },
  );

  it('who-read-an-application filters by the operation that the line names', () => {
    const [, operation] = /operation = "(\w+)"/.exec(queries['who-read-an-application']) ?? [];
    expect(service.log.lines[0]).toMatchObject({ operation, outcome: 'ok' });
  });

  it('who-read-an-application says how to compute the logged hash of an e-mail address', () => {
    const comment = queries['who-read-an-application'].match(/^#.*$/gm)?.join('\n') ?? '';
    const [, command = ''] = /(printf .*)/.exec(comment) ?? [];
    expect(command).toContain("'ana@example.com'");
    const digits = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
    expect(service.log.lines[0]).toMatchObject({ candidate_id: `sha256:${digits}` });
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

  it('use no syntax that these tests do not parse', () => {
    for (const query of Object.values(queries)) {
      expect(bare(query)).toMatch(/^[\s\w@|(),.=!*"]*$/);
    }
  });
});
