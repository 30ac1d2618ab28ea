import { describe, expect, it } from 'vitest';
import { concurrencyFor, type Stage, stageNames, stages } from '../../../infra/settings/stages.ts';
import { appOf, stackOf, templateOf } from '../../support/stack.ts';

describe.each(stageNames)('the stage %s', (name) => {
  const stage: Stage = stages[name];

  it('reserves no concurrency, or as much as its throttle admits', () => {
    expect([undefined, concurrencyFor(stage.throttle)]).toContain(stage.reservedConcurrency);
  });

  it('keeps its data and logs as the table of stages says', () => {
    const template = templateOf({ stage: name });
    const policy = stage.keepsData ? 'Retain' : 'Delete';
    for (const type of ['DynamoDB::Table', 'KMS::Key', 'Cognito::UserPool']) {
      template.allResources(`AWS::${type}`, {
        DeletionPolicy: policy,
        UpdateReplacePolicy: policy,
      });
    }
    const parts = ['UserPoolDomain', 'UserPoolClient', 'UserPoolResourceServer'];
    for (const type of [
      'Logs::LogGroup',
      'SQS::Queue',
      ...parts.map((part) => `Cognito::${part}`),
    ]) {
      template.allResources(`AWS::${type}`, {
        DeletionPolicy: stage.keepsData ? 'RetainExceptOnCreate' : 'Delete',
        UpdateReplacePolicy: policy,
      });
    }
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      DeletionProtectionEnabled: stage.keepsData,
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: stage.logRetention });
    template.allResourcesProperties('AWS::Events::Archive', {
      RetentionDays: stage.eventRetention.toDays(),
    });
  });

  it('is tagged, and protected from deletion if it keeps its data', () => {
    const stack = stackOf(appOf({ stage: name }));
    expect(stack.terminationProtection).toBe(stage.keepsData);
    expect(stack.tags.tagValues()).toEqual({ service: 'recruitment', stage: name });
  });
});
