import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { readEnvironment } from '../../../functions/runtime/env.ts';
import { MEMORY_SIZE_MB } from '../../../infra/stack/function.ts';
import { ownIssuer, propertiesOf, templateOf } from '../../support/stack.ts';

const template = templateOf({ stage: 'prod' });

const roleIdOf = (role: unknown) => (role as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0];

const THROUGH_DYNAMODB = {
  StringEquals: {
    'kms:ViaService': { 'Fn::Join': ['', ['dynamodb.', { Ref: 'AWS::Region' }, '.amazonaws.com']] },
  },
};

describe('the functions', () => {
  const functions = propertiesOf(template, 'AWS::Lambda::Function');

  it('are one for each operation, on Node.js 24, arm64, 6 s, traced, with JSON logs', () => {
    expect(functions).toHaveLength(operationNames.length);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Timeout: 6,
      MemorySize: MEMORY_SIZE_MB,
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
    });
  });

  it('keep their logs for six months, encrypted', () => {
    template.allResources('AWS::Logs::LogGroup', {
      Properties: { RetentionInDays: 180, KmsKeyId: Match.anyValue() },
      DeletionPolicy: 'Retain',
    });
    // And so do the gateway and the pipe of the events.
    template.resourceCountIs('AWS::Logs::LogGroup', operationNames.length + 2);
  });

  it.each([
    ['GetApplication', 'dynamodb:GetItem'],
    ['UpdateJobStatus', 'dynamodb:UpdateItem'],
  ])(
    '%s may do exactly %s on exactly the table, and decrypt its key through it',
    (name, action) => {
      const [keyId] = Object.keys(template.findResources('AWS::KMS::Key'));
      const [tableId] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
      const [policy] = Object.entries(template.findResources('AWS::IAM::Policy'))
        .filter(([id]) => id.startsWith(name))
        .map(([, resource]) => resource.Properties.PolicyDocument.Statement);
      const [logId] = Object.keys(template.findResources('AWS::Logs::LogGroup')).filter((id) =>
        id.startsWith(name),
      );
      expect(policy).toEqual([
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { 'Fn::GetAtt': [logId, 'Arn'] },
        },
        {
          Effect: 'Allow',
          Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
          Resource: '*',
        },
        { Effect: 'Allow', Action: action, Resource: { 'Fn::GetAtt': [tableId, 'Arn'] } },
        {
          Effect: 'Allow',
          Action: 'kms:Decrypt',
          Resource: { 'Fn::GetAtt': [keyId, 'Arn'] },
          Condition: THROUGH_DYNAMODB,
        },
      ]);
    },
  );

  it('speak to the DynamoDB of their region and partition, or to one that the deployment names', () => {
    const databaseEndpoint = 'https://vpce-1.dynamodb.us-east-1.vpce.amazonaws.com';
    templateOf({ databaseEndpoint }).allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint }),
      },
    });
    const parts = ['https://dynamodb.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }];
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ AWS_ENDPOINT_URL_DYNAMODB: { 'Fn::Join': ['', parts] } }),
      },
    });
  });

  it('have roles without managed policies, one each, which Lambda alone may take', () => {
    const roles = functions.map(({ Role: role }) => roleIdOf(role));
    expect(new Set(roles)).toHaveLength(operationNames.length);
    for (const id of roles) {
      const role = template.findResources('AWS::IAM::Role')[id]?.Properties;
      expect(role).not.toHaveProperty('ManagedPolicyArns');
      expect(role).not.toHaveProperty('Policies');
      expect(role.AssumeRolePolicyDocument.Statement).toEqual([
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: 'lambda.amazonaws.com' },
        },
      ]);
    }
  });

  it('keep their versions, and have an alias each that names the newest', () => {
    template.allResources('AWS::Lambda::Version', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
    const versions = Object.keys(template.findResources('AWS::Lambda::Version'));
    const aliases = propertiesOf(template, 'AWS::Lambda::Alias');
    expect(aliases.map(({ Name: name }) => name)).toEqual(['live', 'live']);
    expect(aliases.map(({ FunctionVersion: version }) => version)).toEqual(
      versions.map((id) => ({ 'Fn::GetAtt': [id, 'Version'] })),
    );
  });

  it('have a new version whenever their configuration changes', () => {
    const versionsOf = (context: Record<string, string>) =>
      Object.keys(templateOf(context).findResources('AWS::Lambda::Version'));
    const before = versionsOf({ transitionPolicy: 'any' });
    expect(before).toEqual(versionsOf({ transitionPolicy: 'any' }));
    const after = new Set(versionsOf({ transitionPolicy: 'lifecycle' }));
    expect(before.filter((version) => after.has(version))).toEqual([]);
  });

  it('get an environment that they accept', () => {
    const settings = { ...ownIssuer, tenantClaim: 'tenant', transitionPolicy: 'lifecycle' };
    const [{ Environment: environment } = {}] = propertiesOf(
      templateOf(settings),
      'AWS::Lambda::Function',
    );
    const { TABLE_NAME, AWS_ENDPOINT_URL_DYNAMODB, ...variables } = (
      environment as { Variables: Record<string, string> }
    ).Variables;
    expect(TABLE_NAME).toHaveProperty('Ref');
    expect(AWS_ENDPOINT_URL_DYNAMODB).toHaveProperty('Fn::Join');
    const resolved = {
      TABLE_NAME: 'table',
      AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.eu-west-1.amazonaws.com',
      AWS_REGION: 'eu-west-1',
    };
    expect(readEnvironment({ ...variables, ...resolved })).toEqual({
      tableName: 'table',
      region: 'eu-west-1',
      endpoint: 'https://dynamodb.eu-west-1.amazonaws.com',
      issuer: 'https://login.example.com',
      audiences: ['recruitment'],
      jwksUri: undefined,
      scopePrefix: '',
      tenantClaim: 'tenant',
      transitionPolicy: 'lifecycle',
    });
  });
});
