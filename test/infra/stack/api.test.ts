import { Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { ApiDomain } from '../../../infra/stack/api-domain.ts';
import { ownDomain } from '../../support/deployments.ts';
import { idOf, propertiesOf, templateOf } from '../../support/stack.ts';

const template = templateOf({ stage: 'prod' });

describe('the API', () => {
  it('has the routes of the contract and no other', () => {
    const keys = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map((route) => route.RouteKey);
    const promised = operationNames.map(
      (name) => `${operations[name].method} ${operations[name].path}`,
    );
    expect(keys.toSorted()).toEqual(promised.toSorted());
  });

  it('allows the origins that the deployment names', () => {
    templateOf({ corsOrigins: 'https://app.example.com' }).hasResourceProperties(
      'AWS::ApiGatewayV2::Api',
      {
        CorsConfiguration: {
          AllowOrigins: ['https://app.example.com'],
          AllowMethods: Match.arrayWith(['GET', 'PATCH']),
          AllowHeaders: Match.arrayWith(['Authorization', 'Content-Type', 'If-Match']),
          ExposeHeaders: Match.arrayWith(['WWW-Authenticate', 'x-amzn-remapped-www-authenticate']),
        },
      },
    );
  });
});

describe('an API with its own domain name', () => {
  const named = templateOf(ownDomain);
  const domain = idOf(named, 'AWS::ApiGatewayV2::DomainName');

  it('responds under this name', () => {
    named.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      ApiMappingKey: Match.absent(),
      DomainName: { Ref: domain },
    });
    named.hasOutput('BaseUrl', { Value: { 'Fn::Join': ['', ['https://', { Ref: domain }]] } });
    named.hasOutput('ApiDomainTarget', { Value: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] } });
  });

  it('gets a DNS record if the deployment names a hosted zone', () => {
    named.resourceCountIs('AWS::Route53::RecordSet', 0);
    const zoned = templateOf({ ...ownDomain, hostedZoneId: 'Z0123456789ABCDEFGHIJ' });
    zoned.hasResourceProperties('AWS::Route53::RecordSet', {
      Name: 'api.example.com.',
      HostedZoneId: 'Z0123456789ABCDEFGHIJ',
      AliasTarget: {
        DNSName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] },
        HostedZoneId: { 'Fn::GetAtt': [domain, 'RegionalHostedZoneId'] },
      },
    });
    expect(zoned.findOutputs('ApiDomainTarget')).toEqual({});
  });

  it('requires client certificates if there is a trust store', () => {
    const trust = { trustStore: 's3://example-trust/a/b.pem', trustStoreVersion: 'v1' };
    templateOf({ ...ownDomain, ...trust }).hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      MutualTlsAuthentication: {
        TruststoreUri: 's3://example-trust/a/b.pem',
        TruststoreVersion: 'v1',
      },
    });
  });

  it('is refused if its trust store is malformed', () => {
    const { domainName: name, certificateArn } = ownDomain;
    const props = { name, certificateArn, trustStore: 's3://example-trust' };
    expect(() => new ApiDomain(new Stack(), 'Domain', props)).toThrow('trustStore must be s3://');
  });
});
