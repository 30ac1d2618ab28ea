import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { ownIssuer, propertiesOf, templateOf } from '../../support/stack.ts';

const template = templateOf({ stage: 'prod' });

describe('the table', () => {
  it('is paid on demand, restorable, streamed with both images, expiring and undeletable', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
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

describe('the encryption key', () => {
  it('changes every year, and is kept with the data of production alone', () => {
    template.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    });
    templateOf({ stage: 'dev' }).hasResource('AWS::KMS::Key', { DeletionPolicy: 'Delete' });
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
    const uris = propertiesOf(template, 'AWS::ApiGatewayV2::Integration').map(
      ({ IntegrationUri: uri }) => uri,
    );
    const aliases = Object.keys(template.findResources('AWS::Lambda::Alias'));
    expect(uris).toEqual(aliases.map((id) => ({ Ref: id })));
  });

  it('alone may invoke the functions, by their aliases', () => {
    const [api] = Object.keys(template.findResources('AWS::ApiGatewayV2::Api'));
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
    const aliases = Object.keys(template.findResources('AWS::Lambda::Alias'));
    expect(permissions.map(({ FunctionName: name }) => name)).toEqual(
      aliases.map((id) => ({ Ref: id })),
    );
    for (const permission of permissions) {
      expect(permission.Principal).toBe('apigateway.amazonaws.com');
      expect(JSON.stringify(permission.SourceArn)).toContain(`{"Ref":"${api}"}`);
    }
  });

  it('throttles, and logs each request as JSON without its path or query', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 30, ThrottlingBurstLimit: 60 },
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
    const own = templateOf(ownIssuer);
    own.resourceCountIs('AWS::Cognito::UserPool', 0);
    own.hasOutput('BaseUrl', {});
    expect(own.findOutputs('TokenEndpoint')).toEqual({});
  });
});
