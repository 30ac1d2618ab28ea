import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/operations/operations.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

interface Alias {
  UpdatePolicy?: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: unknown } };
  DependsOn?: string[];
  Properties: { FunctionName: unknown; FunctionVersion: unknown };
}

const aliasesOf = (context: Record<string, string>): Alias[] =>
  Object.values(templateOf(context).findResources('AWS::Lambda::Alias')).map((it) => it as Alias);

describe.each(['staging', 'prod'])('the rollout of %s', (stage) => {
  const template = templateOf({ stage });
  const groups = Object.entries(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
  const aliases = aliasesOf({ stage });

  it('uses a deployment group for each function', () => {
    expect(groups).toHaveLength(operationNames.length);
    expect(
      aliases.map((it) => it.UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName),
    ).toEqual(groups.map(([id]) => ({ Ref: id })));
  });

  it('rolls back on alarms that belong to the new version and exist before the version gets requests', () => {
    const alarms = template.findResources('AWS::CloudWatch::Alarm');
    groups.forEach(([id, { Properties: group }], index) => {
      const { DependsOn: dependencies, Properties: alias } = aliases[index] ?? {};
      expect(dependencies).toContain(id);
      const { Alarms: own }: { Alarms: { Name: { Ref: string } }[] } = group.AlarmConfiguration;
      // CodeDeploy accepts at most ten alarms.
      expect(own).toHaveLength(4);
      for (const { Name: name } of own) {
        const { AlarmName, Dimensions, Metrics } = alarms[name.Ref]?.Properties ?? {};
        const version = JSON.stringify(alias?.FunctionVersion);
        expect(JSON.stringify(AlarmName)).toContain(version);
        expect(JSON.stringify(Dimensions ?? Metrics)).toContain(version);
      }
    });
  });

  it('is left to CloudFormation by a flag, which keeps the deployment groups for the next rollout', () => {
    const context = { stage, rollOut: 'direct' };
    for (const alias of aliasesOf(context)) expect(alias).not.toHaveProperty('UpdatePolicy');
    expect(propertiesOf(templateOf(context), 'AWS::CodeDeploy::DeploymentGroup')).toEqual(
      groups.map(([, { Properties: group }]) => group),
    );
  });
});
