import { describe, expect, it } from 'vitest';
import { stages } from '../../../infra/stack/read-settings.ts';
import { stageNames } from '../../../infra/stack/settings.ts';
import { appOf, propertiesOf, stackOf, templateOf } from '../../support/stack.ts';

describe.each(stageNames)('the stage %s', (name) => {
  const stage = stages[name];

  it('keeps its data and logs as the table of stages says', () => {
    const template = templateOf({ stage: name });
    const policy = stage.keepsData ? 'Retain' : 'Delete';
    for (const type of [
      'DynamoDB::Table',
      'Cognito::UserPool',
      ...(stage.ownKey ? ['KMS::Key'] : []),
    ]) {
      template.allResources(`AWS::${type}`, {
        DeletionPolicy: policy,
        UpdateReplacePolicy: policy,
      });
    }
    const parts = ['UserPoolDomain', 'UserPoolClient', 'UserPoolResourceServer'];
    for (const type of [
      'Logs::LogGroup',
      'SQS::Queue',
      'Events::EventBus',
      ...(stage.eventRetention ? ['Events::Archive'] : []),
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
    const archives = propertiesOf(template, 'AWS::Events::Archive');
    const retention = stage.eventRetention?.toDays();
    expect(archives.map((it) => it.RetentionDays)).toEqual(retention ? [retention] : []);
  });

  it('is tagged, and protected from deletion if it keeps its data', () => {
    const stack = stackOf(appOf({ stage: name }));
    expect(stack.terminationProtection).toBe(stage.keepsData);
    const tags = { service: 'recruitment', stage: name };
    expect(stack.tags.tagValues()).toEqual(tags);
    // The deploy role depends on the user pool's tags, which the CDK may not set from the stack's tags.
    templateOf({ stage: name }).hasResourceProperties('AWS::Cognito::UserPool', {
      UserPoolTags: tags,
    });
  });
});

it('a stage without alarms has no other resource that costs money while idle, except storage', () => {
  const template = templateOf({ stage: 'dev' });
  expect(Object.keys(stages.dev)).not.toContain('alarms');
  for (const type of [
    ...['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Logs::MetricFilter'],
    ...['KMS::Key', 'Events::Archive'],
  ]) {
    template.resourceCountIs(`AWS::${type}`, 0);
  }
});
