import { describe, expect, it } from 'vitest';
import { stageNames } from '../../../infra/stack/settings.ts';
import { deployments, monitoredStages } from '../../support/deployments.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

/** Names that must be unique only within another resource of the stack, or that AWS has chosen. */
const WITHIN: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::Stage StageName': 'of an API',
  'AWS::CodeDeploy::DeploymentGroup DeploymentConfigName': "CodeDeploy's own",
  'AWS::Cognito::UserPoolResourceServer Identifier': 'of a user pool',
  'AWS::Cognito::UserPoolResourceServer Name': 'of a user pool',
  'AWS::CloudWatch::Alarm MetricName': "Lambda's own",
  'AWS::IAM::Policy PolicyName': 'of a role',
  'AWS::Lambda::Alias Name': 'of a function',
};

const isName = ([property, value]: [string, unknown]) =>
  /(Name|^Domain|^Identifier|Alias)$/.test(property) &&
  (typeof value === 'string' || JSON.stringify(value).startsWith('{"Fn::Join'));

function physicalNamesOf(context: Record<string, string>): string[] {
  const resources: Record<string, { Type: string; Properties?: object }> =
    templateOf(context).toJSON().Resources;
  return Object.values(resources).flatMap(({ Type, Properties = {} }) =>
    Object.entries(Properties)
      .filter(isName)
      .filter(([property]) => !(`${Type} ${property}` in WITHIN))
      .map(([property, value]) => `${Type} ${property} ${JSON.stringify(value)}`),
  );
}

describe('the names of resources', () => {
  it.each(
    stageNames.flatMap((one, index) => stageNames.slice(index + 1).map((other) => [one, other])),
  )('never collide between %s and %s', (one = '', other = '') => {
    const names = physicalNamesOf({ stage: one });
    expect(names).toContain(`AWS::ApiGatewayV2::Api Name "RecruitmentService-${one}"`);
    expect(names.some((name) => name.startsWith('AWS::Cognito::UserPoolDomain Domain'))).toBe(true);
    const others = new Set(physicalNamesOf({ stage: other }));
    expect(names.filter((name) => others.has(name))).toEqual([]);
  });

  it('contain the region if they are global to the account, as dashboard names are', () => {
    for (const [, context] of deployments) {
      if (!monitoredStages.some((name) => name === context.stage)) continue;
      const dashboards = propertiesOf(templateOf(context), 'AWS::CloudWatch::Dashboard');
      expect(dashboards.map(({ DashboardName: name }) => name)).toEqual([
        { 'Fn::Join': ['', [`RecruitmentService-${context.stage}-`, { Ref: 'AWS::Region' }]] },
      ]);
    }
  });
});
