import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { restoredTable } from '../../support/deployments.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

const restored = restoredTable('prod');
const STREAM = restored.restoredTableStream;

describe('a restored table', () => {
  const template = templateOf({ stage: 'prod', ...restored });
  const ofOwnTable = /"(Ref|Fn::GetAtt)":\["?StorageTable|"Ref":"StorageTable/;

  it('is the one that the functions use', () => {
    for (const { Environment: environment } of propertiesOf(template, 'AWS::Lambda::Function')) {
      expect(environment).toMatchObject({ Variables: { TABLE_NAME: 'restored-prod' } });
    }
  });

  it('is the one whose changes become events', () => {
    const [pipe] = propertiesOf(template, 'AWS::Pipes::Pipe');
    expect(pipe?.Source).toBe(STREAM);
  });

  it('is the one that outputs, alarms and the dashboard name', () => {
    template.hasOutput('TableName', { Value: 'restored-prod' });
    const named = (of: Template) =>
      ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::Pipes::Pipe'].filter((type) =>
        ofOwnTable.test(JSON.stringify(of.findResources(type))),
      );
    expect(named(template)).toEqual([]);
    expect(named(templateOf({ stage: 'prod' }))).toHaveLength(3);
  });

  it('leaves the table of the stack as it is, with its data', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  });
});
