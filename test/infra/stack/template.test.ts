import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { type StageName, stageNames } from '../../../infra/stack/settings/settings.ts';
import { movedFiles, ownDomain, restoredTable } from '../../support/deployments.ts';
import { templateOf } from '../../support/stack.ts';
import { linesOf } from './lines.ts';

const everything = {
  ...ownDomain,
  ...movedFiles,
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  trustStore: 's3://example-trust/clients.pem',
  trustStoreVersion: 'Mq3n',
  corsOrigins: 'https://app.example.com',
};

/** Leaves out hashes of the code, and writes STAGE for the stage's name. */
const snapshotOf = (stage: StageName) =>
  linesOf(templateOf({ stage, ...everything })).map((line) =>
    line
      .replaceAll(/[0-9a-f]{64}(?=\.zip)/g, 'HASH')
      .replaceAll(`RecruitmentService-${stage}`, 'RecruitmentService-STAGE')
      .replace(`Tags.stage is ${stage}`, 'Tags.stage is STAGE'),
  );

// stack.txt shows a reviewer what a change does. If a line applies only to some stages, their names follow it.
it('the stages deploy what stack.txt says (`npm run generate:stack` writes it)', async () => {
  const having = new Map<string, StageName[]>();
  for (const stage of stageNames.toReversed())
    for (const line of snapshotOf(stage)) having.set(line, [...(having.get(line) ?? []), stage]);
  const groups = (lines: Iterable<string>, beginning: RegExp) => [
    ...Map.groupBy(lines, (line) => beginning.exec(line)?.[0]).values(),
  ];
  const lines = groups(having.keys(), /^\w+/).flatMap((its) => groups(its, /^\S+/).flat());
  const marked = lines.map((line) => {
    const stages = having.get(line) ?? [];
    return stages.length === stageNames.length ? line : `${line} (${stages.join(', ')})`;
  });
  await expect(`${marked.join('\n')}\n`).toMatchFileSnapshot('stack.txt');
});

it("with a restored table, only permissions name the stack's own", () => {
  const ofOwnTable = /"(Ref|Fn::GetAtt)":\["?StorageTable|"Ref":"StorageTable/;
  const named = (of: Template) =>
    ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Lambda::Function', 'Pipes::Pipe'].filter(
      (type) => ofOwnTable.test(JSON.stringify(of.findResources(`AWS::${type}`))),
    );
  expect(named(templateOf({ stage: 'prod', ...restoredTable('prod') }))).toEqual([]);
  expect(named(templateOf({ stage: 'prod' }))).not.toEqual([]);
});
