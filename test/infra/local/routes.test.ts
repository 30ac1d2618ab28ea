import { describe, expect, it } from 'vitest';
import { routesOf } from '../../../infra/local/routes.ts';
import type { Template } from '../../../infra/local/template.ts';

const functionOf = (key: string) => ({
  Code: { S3Key: `${key}.zip` },
  Environment: { Variables: { TABLE_NAME: { Ref: 'Table' }, ISSUER: 'https://login.example.com' } },
  Handler: 'index.handler',
  MemorySize: 512,
  Timeout: 6,
});

/** A template of two routes, whose resources are in no order. */
const RESOURCES: Record<string, Record<string, object>> = {
  'AWS::Lambda::Function': { Write: functionOf('write'), Read: functionOf('read') },
  'AWS::Lambda::Alias': {
    ReadLive: { FunctionName: { Ref: 'Read' } },
    WriteLive: { FunctionName: { Ref: 'Write' } },
  },
  'AWS::ApiGatewayV2::Integration': {
    ToRead: { IntegrationUri: { Ref: 'ReadLive' }, PayloadFormatVersion: '2.0' },
    ToWrite: { IntegrationUri: { Ref: 'WriteLive' }, PayloadFormatVersion: '2.0' },
  },
  'AWS::ApiGatewayV2::Route': {
    Set: {
      RouteKey: 'PATCH /v1/things/{id}',
      Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'ToWrite' }]] },
    },
    Get: {
      RouteKey: 'GET /v1/things/{id}',
      Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'ToRead' }]] },
    },
  },
};

const templateWith = (resources: Record<string, Record<string, object>>) =>
  ({
    resources: (type: string) => new Map(Object.entries(resources[type] ?? {})),
    assetFolder: (key: string) => `/assets/${key}`,
  }) as Template;

const routes = (resources = RESOURCES) =>
  routesOf(templateWith(resources), { Table: 'local' }, { AWS_REGION: 'eu-west-1' });

describe('the local routes', () => {
  it('lead over the alias of an integration to its function', () => {
    expect(routes().map(({ routeKey, function: { name } }) => [routeKey, name])).toEqual([
      ['PATCH /v1/things/{id}', 'Write'],
      ['GET /v1/things/{id}', 'Read'],
    ]);
  });

  it('have what the template says of the function, with local names', () => {
    expect(routes()[1]).toEqual({
      routeKey: 'GET /v1/things/{id}',
      method: 'GET',
      segments: ['', 'v1', 'things', '{id}'],
      function: {
        name: 'Read',
        folder: '/assets/read.zip',
        handler: 'index.handler',
        memoryMegabytes: 512,
        timeoutSeconds: 6,
        variables: {
          AWS_REGION: 'eu-west-1',
          AWS_LAMBDA_FUNCTION_NAME: 'Read',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
          TABLE_NAME: 'local',
          ISSUER: 'https://login.example.com',
        },
      },
    });
  });

  it.each(['AWS::Lambda::Alias', 'AWS::ApiGatewayV2::Integration', 'AWS::Lambda::Function'])(
    'are rejected if the template has no %s for them',
    (type) => {
      expect(() => routes({ ...RESOURCES, [type]: {} })).toThrow('PATCH /v1/things/{id}');
    },
  );

  it('are rejected if a variable refers to a resource that has no local name', () => {
    expect(() => routesOf(templateWith(RESOURCES), {}, {})).toThrow('{"Ref":"Table"}');
  });
});
