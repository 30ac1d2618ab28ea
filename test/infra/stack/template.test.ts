// Snapshots of all that is deployed, written by `npm run generate`: their diff shows a reviewer what a change does.
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../../functions/domain/own-value.ts';
import type { StageName } from '../../../infra/stack/settings.ts';
import { movedFiles, ownDomain, restoredTable } from '../../support/deployments.ts';
import { externalIssuer, propertiesOf, templateOf } from '../../support/stack.ts';

const everything = {
  ...ownDomain,
  ...movedFiles,
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  trustStore: 's3://example-trust/clients.pem',
  trustStoreVersion: 'Mq3n',
  corsOrigins: 'https://app.example.com',
};

/** Without the hashes of the code, and with prod's name in place of the stage's. */
function templateLikeProd(stage: StageName): Record<string, unknown> {
  const text = JSON.stringify(templateOf({ stage, ...everything }).toJSON())
    .replaceAll(/(?<=CurrentVersion)[0-9A-F]{8}[0-9a-f]{32}/g, '')
    .replaceAll(/[0-9a-f]{64}(?=\.zip)/g, 'HASH')
    .replaceAll(`RecruitmentService-${stage}`, 'RecruitmentService-prod')
    .replaceAll(`"Key":"stage","Value":"${stage}"`, '"Key":"stage","Value":"prod"')
    .replaceAll(`"stage":"${stage}"`, '"stage":"prod"');
  return JSON.parse(text);
}

/** Values of `other` that differ from those of `one`, by path. Null stands for a missing value. */
function difference(one: unknown, other: unknown, path = ''): [path: string, value: unknown][] {
  const isList = Array.isArray(one) && Array.isArray(other) && one.length === other.length;
  if (isList || (isObject(one) && isObject(other))) {
    const [before, after] = [Object(one), Object(other)];
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => difference(before[name], after[name], `${path}/${name}`));
  }
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [[path, other ?? null]];
}

const prod = templateLikeProd('prod');

it('the template of prod is prod.template.json (`npm run generate` writes it)', async () => {
  const text = JSON.stringify(prod, undefined, 1);
  await expect(`${text}\n`).toMatchFileSnapshot('prod.template.json');
});

it.each(['dev', 'staging'] as const)(
  'the template of %s differs from that of prod as its file says (`npm run generate` writes it)',
  async (stage) => {
    const lines = difference(prod, templateLikeProd(stage)).map(
      ([path, value]) => `${JSON.stringify(path)}: ${JSON.stringify(value)}`,
    );
    await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot(`${stage}.changes.json`);
  },
);

describe('a setting that replaces something', () => {
  it('rollOut leaves the traffic to CloudFormation, and the deployment groups for the next rollout', () => {
    const direct = templateOf({ stage: 'prod', rollOut: 'direct' });
    for (const alias of Object.values(direct.findResources('AWS::Lambda::Alias'))) {
      expect(alias).not.toHaveProperty('UpdatePolicy');
    }
    const groupsOf = (of: Template) => propertiesOf(of, 'AWS::CodeDeploy::DeploymentGroup');
    expect(groupsOf(direct)).toEqual(groupsOf(templateOf({ stage: 'prod' })));
  });

  it('domainName without a hosted zone adds no DNS record, but an output with its target', () => {
    const named = templateOf(ownDomain);
    named.resourceCountIs('AWS::Route53::RecordSet', 0);
    const [domain = ''] = Object.keys(named.findResources('AWS::ApiGatewayV2::DomainName'));
    named.hasOutput('ApiDomainTarget', { Value: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] } });
  });

  it('issuer takes the place of the user pool', () => {
    const external = templateOf(externalIssuer);
    external.resourceCountIs('AWS::Cognito::UserPool', 0);
    expect(external.findOutputs('TokenEndpoint')).toEqual({});
  });

  it("restoredTableStream names the table to use, and leaves the stack's own and its data alone", () => {
    const template = templateOf({ stage: 'prod', ...restoredTable('prod') });
    const ofOwnTable = /"(Ref|Fn::GetAtt)":\["?StorageTable|"Ref":"StorageTable/;
    const named = (of: Template) =>
      ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Lambda::Function', 'Pipes::Pipe'].filter(
        (type) => ofOwnTable.test(JSON.stringify(of.findResources(`AWS::${type}`))),
      );
    expect(named(template)).toEqual([]);
    expect(named(templateOf({ stage: 'prod' }))).not.toEqual([]);
    template.hasOutput('TableName', { Value: 'restored-prod' });
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  });
});
