import { App, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { operationNames, operations } from '../../functions/contract/operations.ts';
import { readEnvironment } from '../../functions/runtime/env.ts';
import { RecruitmentStack } from '../../infra/recruitment-stack.ts';
import { readSettings } from '../../infra/settings.ts';

function stackOf(context: Record<string, string> = {}): RecruitmentStack {
  const app = new App({
    context: { ...cdk.context, ...context },
    outdir: 'dist/test-cdk.out',
    builtinCloudFormationValidation: false,
  });
  return new RecruitmentStack(app, 'Service', { settings: readSettings(app.node) });
}

const templateOf = (context?: Record<string, string>) => Template.fromStack(stackOf(context));
const external = { issuer: 'https://login.example.com', audience: 'recruitment' };
const template = templateOf();

type Properties = Record<string, unknown>;
const propertiesOf = (of: Template, type: string): Properties[] =>
  Object.values(of.findResources(type)).map((resource) => resource.Properties);

describe('the table', () => {
  it('is paid on demand, restorable, streamed with both images, expiring and undeletable', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      },
    });
    template.resourceCountIs('AWS::DynamoDB::Table', 1);
  });
});

describe('the functions', () => {
  const functions = propertiesOf(template, 'AWS::Lambda::Function');

  it('are one for each operation, on Node.js 24, arm64, 6 s, traced, with JSON logs', () => {
    expect(functions).toHaveLength(operationNames.length);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Timeout: 6,
      MemorySize: 512,
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
    });
  });

  it('keep their logs for six months', () => {
    template.allResources('AWS::Logs::LogGroup', {
      Properties: { RetentionInDays: 180 },
      DeletionPolicy: 'Retain',
    });
    template.resourceCountIs('AWS::Logs::LogGroup', operationNames.length + 1);
  });

  it.each([
    ['GetApplication', 'dynamodb:GetItem'],
    ['UpdateJobStatus', 'dynamodb:UpdateItem'],
  ])('%s may do exactly %s on exactly the table', (name, action) => {
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
    ]);
  });

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

  it('have roles without managed policies', () => {
    for (const role of propertiesOf(template, 'AWS::IAM::Role')) {
      expect(role).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  it('get an environment that they accept', () => {
    const settings = { ...external, tenantClaim: 'tenant', transitionPolicy: 'lifecycle' };
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

describe('the API', () => {
  it('has the routes of the contract and no other', () => {
    const keys = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map((route) => route.RouteKey);
    const promised = operationNames.map(
      (name) => `${operations[name].method} ${operations[name].path}`,
    );
    expect(keys.toSorted()).toEqual(promised.toSorted());
  });

  it('passes each route to its own function in payload format 2.0', () => {
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', {
      PayloadFormatVersion: '2.0',
      IntegrationType: 'AWS_PROXY',
    });
    template.resourceCountIs('AWS::ApiGatewayV2::Integration', operationNames.length);
  });

  it('throttles, and logs each request as JSON without its path or query', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 },
      AccessLogSettings: { DestinationArn: Match.anyValue() },
    });
    const [stage] = propertiesOf(template, 'AWS::ApiGatewayV2::Stage');
    const { Format: format } = (stage?.AccessLogSettings ?? {}) as unknown as { Format: string };
    expect(JSON.parse(format)).toMatchObject({ request_id: '$context.requestId' });
    expect(format).not.toMatch(/\$context\.(path|httpMethod\/|.*query)/i);
  });

  it('allows no other origin by default', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
  });

  it('allows the origins that the deployment names', () => {
    templateOf({ corsOrigins: 'https://app.example.com' }).hasResourceProperties(
      'AWS::ApiGatewayV2::Api',
      {
        CorsConfiguration: {
          AllowOrigins: ['https://app.example.com'],
          AllowMethods: ['GET', 'PATCH'],
          AllowHeaders: ['Authorization', 'Content-Type', 'If-Match'],
        },
      },
    );
  });
});

describe('the token issuer', () => {
  it('is a user pool with a scope for each operation and one machine client', () => {
    template.hasResourceProperties('AWS::Cognito::UserPoolResourceServer', {
      Identifier: 'recruitment',
      Scopes: operationNames.map((name) => Match.objectLike({ ScopeName: operations[name].scope })),
    });
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      GenerateSecret: true,
      AllowedOAuthFlows: ['client_credentials'],
    });
    template.resourceCountIs('AWS::Cognito::UserPoolClient', 1);
    template.hasOutput('TokenEndpoint', {});
  });

  it("has its tokens' client for an audience and its scopes with the resource server's name", () => {
    const [clientId] = Object.keys(template.findResources('AWS::Cognito::UserPoolClient'));
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ AUDIENCE: { Ref: clientId }, SCOPE_PREFIX: 'recruitment/' }),
      },
    });
  });

  it('is left to the deployment that brings its own', () => {
    const own = templateOf(external);
    own.resourceCountIs('AWS::Cognito::UserPool', 0);
    own.hasOutput('BaseUrl', {});
    expect(own.findOutputs('TokenEndpoint')).toEqual({});
  });
});

describe('compliance', () => {
  it('has no finding of AwsSolutions or Serverless that is not acknowledged', () => {
    const app = new App({
      context: cdk.context,
      outdir: 'dist/test-cdk.out',
      builtinCloudFormationValidation: false,
    });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    new RecruitmentStack(app, 'Service', { settings: readSettings(app.node) });
    expect(() => app.synth()).not.toThrow();
  });
});
