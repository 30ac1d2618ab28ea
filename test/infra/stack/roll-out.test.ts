import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Alarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { type Stage, stages } from '../../../infra/settings/stages.ts';
import { EncryptionKey } from '../../../infra/stack/encryption.ts';
import { OperationFunction } from '../../../infra/stack/function.ts';
import { RollOut } from '../../../infra/stack/roll-out.ts';
import { appOf, idOf, propertiesOf, templateOf } from '../../support/stack.ts';

const template = templateOf({ stage: 'prod' });
const groups = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup');
const aliases = Object.values(template.findResources('AWS::Lambda::Alias'));

/** The alarms by which CodeDeploy takes a version back. */
const watched = (group: Record<string, unknown> = {}) =>
  (group.AlarmConfiguration as { Alarms: { Name: { Ref: string } }[] }).Alarms;

const TOPIC_ARN = 'arn:aws:sns:eu-west-1:123456789012:alarms';

/** The roll-out of one function, with alarms of others. */
function rollOutOf(stage: Stage, alarmNames: string[] = [], isStaged = true): Template {
  const stack = new Stack(appOf(), 'RollOut');
  const { live } = new OperationFunction(stack, 'GetApplication', {
    stage,
    encryptionKey: new EncryptionKey(stack, 'Encryption', { stage }).key,
    operation: 'get-application',
    environment: {},
    reservesConcurrency: true,
  });
  const alarms: IAlarm[] = alarmNames.map((name) =>
    Alarm.fromAlarmArn(stack, name, `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`),
  );
  const alarmTopic = Topic.fromTopicArn(stack, 'Topic', TOPIC_ARN);
  const aliases = { 'get-application': live };
  new RollOut(stack, 'RollOut', { stage, aliases, alarms, alarmTopic, isStaged });
  return Template.fromStack(stack);
}

describe('the roll-out', () => {
  it.each([
    ['dev', 'CodeDeployDefault.LambdaAllAtOnce'],
    ['staging', 'CodeDeployDefault.LambdaAllAtOnce'],
    ['prod', 'CodeDeployDefault.LambdaCanary10Percent10Minutes'],
  ])('gives a new version in %s the traffic by %s', (stage, configuration) => {
    const template = templateOf({ stage });
    template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 2);
    template.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      DeploymentConfigName: configuration,
      DeploymentStyle: {
        DeploymentOption: 'WITH_TRAFFIC_CONTROL',
        DeploymentType: 'BLUE_GREEN',
      },
    });
  });

  it('moves each alias by a deployment group of its own', () => {
    const ids = Object.keys(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    expect(
      aliases.map(({ UpdatePolicy: it }) => it.CodeDeployLambdaAliasUpdate.DeploymentGroupName),
    ).toEqual(ids.map((id) => ({ Ref: id })));
  });

  it('goes back on an alarm, on a failure and when it is stopped', () => {
    for (const group of groups) {
      expect(group.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
      expect(group.AlarmConfiguration).not.toHaveProperty('IgnorePollAlarmFailure', true);
    }
  });

  it('is watched by an alarm on the first error of the new version behind its alias', () => {
    const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).filter(([id]) =>
      id.startsWith('RollOut'),
    );
    const topic = { Ref: idOf(template, 'AWS::SNS::Topic') };
    expect(alarms).toHaveLength(aliases.length);
    alarms.forEach(([id, { Properties: alarm }], index) => {
      expect(groups[index]?.AlarmConfiguration).toMatchObject({ Enabled: true });
      expect(watched(groups[index])[0]).toEqual({ Name: { Ref: id } });
      expect(alarm).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
      const { FunctionName: name, FunctionVersion: version } = aliases[index]?.Properties ?? {};
      expect(alarm).toMatchObject({
        Namespace: 'AWS/Lambda',
        MetricName: 'Errors',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
      });
      expect(alarm.Dimensions).toEqual([
        { Name: 'ExecutedVersion', Value: version },
        { Name: 'FunctionName', Value: name },
        { Name: 'Resource', Value: { 'Fn::Join': ['', [name, ':live']] } },
      ]);
    });
  });

  it('is watched by the alarms of the service that a new version may make sound', () => {
    const names = watched(groups[0])
      .slice(1)
      .map(({ Name: { Ref: id } }) => id);
    const alarms = template.findResources('AWS::CloudWatch::Alarm');
    expect(names.map((id) => alarms[id]?.Properties.AlarmName)).toEqual([
      'RecruitmentService-prod-server-errors',
      'RecruitmentService-prod-latency-p99',
    ]);
  });

  it('has an alarm of its own for each version, which is there before the version', () => {
    const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).filter(([id]) =>
      id.startsWith('RollOut'),
    );
    const groupIds = Object.keys(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    alarms.forEach(([, { Properties: alarm }], index) => {
      const { FunctionVersion: version } = aliases[index]?.Properties ?? {};
      expect(JSON.stringify(alarm.AlarmName)).toContain(JSON.stringify(version));
      expect(aliases[index]?.DependsOn).toContain(groupIds[index]);
    });
  });

  it('leaves the aliases to CloudFormation where a deployment must not wait for alarms', () => {
    const [alias] = Object.values(
      rollOutOf(stages.prod, [], false).findResources('AWS::Lambda::Alias'),
    );
    expect(alias).not.toHaveProperty('UpdatePolicy');
    const [staged] = Object.values(rollOutOf(stages.prod).findResources('AWS::Lambda::Alias'));
    expect(staged).toHaveProperty('UpdatePolicy.CodeDeployLambdaAliasUpdate');
  });

  it('is watched by the alarms that it is given too', () => {
    const [group] = propertiesOf(
      rollOutOf(stages.prod, ['Slow', 'Faults']),
      'AWS::CodeDeploy::DeploymentGroup',
    );
    expect(group?.AlarmConfiguration).toMatchObject({
      Alarms: [{ Name: { Ref: expect.any(String) } }, { Name: 'Slow' }, { Name: 'Faults' }],
    });
  });
});

describe('an alias', () => {
  it('has as many environments that wait as its stage asks for', () => {
    const [waiting] = propertiesOf(
      rollOutOf({ ...stages.prod, provisionedConcurrency: 2 }),
      'AWS::Lambda::Alias',
    );
    expect(waiting?.ProvisionedConcurrencyConfig).toEqual({ ProvisionedConcurrentExecutions: 2 });
  });

  it('has none in any stage, for they cost money while they wait', () => {
    for (const { Properties: alias } of aliases) {
      expect(alias).not.toHaveProperty('ProvisionedConcurrencyConfig');
    }
  });
});
