import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { idOf, propertiesOf, templateOf } from '../../support/stack.ts';

interface Alias {
  UpdatePolicy?: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: unknown } };
  DependsOn?: string[];
  Properties: { FunctionName: unknown; FunctionVersion: unknown };
}

const aliasesOf = (context: Record<string, string>): Alias[] =>
  Object.values(templateOf(context).findResources('AWS::Lambda::Alias')).map((it) => it as Alias);

describe.each(['staging', 'prod'])('the roll-out of %s', (stage) => {
  const template = templateOf({ stage });
  const groups = Object.entries(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
  const alarms = template.findResources('AWS::CloudWatch::Alarm');
  const aliases = aliasesOf({ stage });

  it('gives a new version of each function a tenth of the requests first', () => {
    template.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      DeploymentStyle: {
        DeploymentOption: 'WITH_TRAFFIC_CONTROL',
        DeploymentType: 'BLUE_GREEN',
      },
    });
    expect(groups).toHaveLength(operationNames.length);
    expect(
      aliases.map((it) => it.UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName),
    ).toEqual(groups.map(([id]) => ({ Ref: id })));
  });

  it('goes back on an alarm, on a failure and if it is stopped', () => {
    for (const [, { Properties: group }] of groups) {
      expect(group.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
      expect(group.AlarmConfiguration).toMatchObject({ Enabled: true });
      expect(group.AlarmConfiguration).not.toHaveProperty('IgnorePollAlarmFailure', true);
    }
  });

  it('has an alarm on the new version of each function and on what clients see, and no other', () => {
    groups.forEach(([, { Properties: group }], index) => {
      const ids: string[] = group.AlarmConfiguration.Alarms.map(
        ({ Name: { Ref: id } }: { Name: { Ref: string } }) => id,
      );
      const [onVersion, ...others] = ids.map((id) => alarms[id]?.Properties);
      expect(others.map((alarm) => alarm?.AlarmName)).toEqual(
        ['server-errors', 'latency-p99', ...operationNames.map((name) => `${name}-internal`)].map(
          (name) => `RecruitmentService-${stage}-${name}`,
        ),
      );
      // CodeDeploy takes no more.
      expect(ids.length).toBeLessThanOrEqual(10);
      const { FunctionName: name, FunctionVersion: version } = aliases[index]?.Properties ?? {};
      expect(onVersion).toMatchObject({
        MetricName: 'Errors',
        Dimensions: [
          { Name: 'ExecutedVersion', Value: version },
          { Name: 'FunctionName', Value: name },
          { Name: 'Resource', Value: { 'Fn::Join': ['', [name, ':live']] } },
        ],
        AlarmActions: [{ Ref: idOf(template, 'AWS::SNS::Topic') }],
      });
    });
  });

  it('has a new alarm for each version, which exists before the version gets requests', () => {
    groups.forEach(([groupId, { Properties: group }], index) => {
      const { FunctionVersion: version } = aliases[index]?.Properties ?? {};
      const { Name: first } = group.AlarmConfiguration.Alarms[0];
      const name = JSON.stringify(alarms[first.Ref]?.Properties.AlarmName);
      expect(name).toContain(JSON.stringify(version));
      expect(aliases[index]?.DependsOn).toContain(groupId);
    });
  });

  it('is left to CloudFormation if the deployment says so, and stays ready for the next', () => {
    const context = { stage, rollOut: 'direct' };
    for (const alias of aliasesOf(context)) expect(alias).not.toHaveProperty('UpdatePolicy');
    expect(propertiesOf(templateOf(context), 'AWS::CodeDeploy::DeploymentGroup')).toEqual(
      groups.map(([, { Properties: group }]) => group),
    );
  });
});

describe('the roll-out of dev', () => {
  it('is left to CloudFormation', () => {
    for (const alias of aliasesOf({ stage: 'dev' }))
      expect(alias).not.toHaveProperty('UpdatePolicy');
    templateOf({ stage: 'dev' }).resourceCountIs('AWS::CodeDeploy::Application', 0);
  });
});
