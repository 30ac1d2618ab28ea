import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { arnOf, propertiesOf, templateOf } from '../../support/stack.ts';

const RESTORED = 'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod';
const STREAM = `${RESTORED}/stream/2026-11-03T09:26:53.589`;

describe('the table', () => {
  it('has one index, which finds applications by candidate and holds their keys alone', () => {
    const [table] = propertiesOf(templateOf(), 'AWS::DynamoDB::Table');
    expect(table?.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'by-candidate',
        KeySchema: [{ AttributeName: 'candidate_pk', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });
});

describe('a table that was restored', () => {
  const template = templateOf({ stage: 'prod', restoredTableStream: STREAM });
  const ofOwnTable = /"(Ref|Fn::GetAtt)":\["?StorageTable|"Ref":"StorageTable/;

  it('is the one that the functions work on, and that they may', () => {
    for (const { Environment: environment } of propertiesOf(template, 'AWS::Lambda::Function')) {
      expect(environment).toMatchObject({ Variables: { TABLE_NAME: 'restored-prod' } });
    }
    const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument: document }) =>
        (document as { Statement: { Action: unknown; Resource: unknown }[] }).Statement,
    );
    const resourcesFor = (action: string) =>
      statements.filter((it) => it.Action === action).map((it) => it.Resource);
    // Versions that work on the stack's own table serve requests until they are replaced.
    const both = [RESTORED, arnOf(template, 'AWS::DynamoDB::Table')];
    expect(resourcesFor('dynamodb:GetItem').flat()).toEqual(both);
    expect(resourcesFor('dynamodb:UpdateItem').flat()).toEqual(both);
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

  it('leaves the table of the stack where it is, with what it holds', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  });
});
