import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { restoredTable } from '../../support/deployments.ts';
import { templateOf } from '../../support/stack.ts';

const restored = restoredTable('prod');

describe('a restored table', () => {
  const template = templateOf({ stage: 'prod', ...restored });
  const ofOwnTable = /"(Ref|Fn::GetAtt)":\["?StorageTable|"Ref":"StorageTable/;

  it('is used by functions, events, outputs and the dashboard', () => {
    template.hasOutput('TableName', { Value: 'restored-prod' });
    const named = (of: Template) =>
      ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Lambda::Function', 'Pipes::Pipe'].filter(
        (type) => ofOwnTable.test(JSON.stringify(of.findResources(`AWS::${type}`))),
      );
    expect(named(template)).toEqual([]);
    expect(named(templateOf({ stage: 'prod' }))).toHaveLength(3);
  });

  it("leaves the stack's own table and its data unchanged", () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  });
});
