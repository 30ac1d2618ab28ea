import type { Template } from 'aws-cdk-lib/assertions';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { behindFirewall, customDomain } from '../../support/edge.ts';
import { propertiesOf, templateOf } from '../../support/stack.ts';

const idOfDomain = (template: Template) =>
  Object.keys(template.findResources('AWS::ApiGatewayV2::DomainName'))[0];

describe('an API without a name of its own', () => {
  it('answers at its default endpoint', () => {
    const template = templateOf();
    template.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0);
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 0);
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      DisableExecuteApiEndpoint: Match.absent(),
    });
    template.hasOutput('BaseUrl', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'ApiEndpoint'] } });
  });
});

describe('an API with a name of its own', () => {
  const template = templateOf(customDomain);

  it('takes TLS 1.2 at least, in its own region, and no certificate of clients', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'api.example.com',
      DomainNameConfigurations: [
        {
          CertificateArn: customDomain.certificateArn,
          EndpointType: 'REGIONAL',
          SecurityPolicy: 'TLS_1_2',
        },
      ],
      MutualTlsAuthentication: Match.absent(),
    });
  });

  it('answers there with all of the default stage, and nowhere else', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', {
      ApiMappingKey: Match.absent(),
      DomainName: { Ref: idOfDomain(template) },
      Stage: '$default',
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    template.hasOutput('BaseUrl', {
      Value: { 'Fn::Join': ['', ['https://', { Ref: idOfDomain(template) }]] },
    });
  });

  it('says where its name must point', () => {
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
    template.hasOutput('ApiDomainTarget', {
      Value: { 'Fn::GetAtt': [idOfDomain(template), 'RegionalDomainName'] },
    });
  });

  it('has its record made where the zone is named', () => {
    const zoned = templateOf({ ...customDomain, hostedZoneId: 'Z0123456789ABCDEFGHIJ' });
    expect(propertiesOf(zoned, 'AWS::Route53::RecordSet')).toEqual([
      {
        Name: 'api.example.com.',
        Type: 'A',
        HostedZoneId: 'Z0123456789ABCDEFGHIJ',
        AliasTarget: {
          DNSName: { 'Fn::GetAtt': [idOfDomain(zoned), 'RegionalDomainName'] },
          HostedZoneId: { 'Fn::GetAtt': [idOfDomain(zoned), 'RegionalHostedZoneId'] },
        },
      },
    ]);
    expect(zoned.findOutputs('ApiDomainTarget')).toEqual({});
  });

  it('asks clients for a certificate where there is a trust store', () => {
    const trust = { ...customDomain, trustStore: 's3://example-trust/clients.pem' };
    templateOf(trust).hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      MutualTlsAuthentication: {
        TruststoreUri: 's3://example-trust/clients.pem',
        TruststoreVersion: Match.absent(),
      },
    });
    templateOf({ ...trust, trustStoreVersion: 'v1' }).hasResourceProperties(
      'AWS::ApiGatewayV2::DomainName',
      { MutualTlsAuthentication: Match.objectLike({ TruststoreVersion: 'v1' }) },
    );
  });
});

describe('an API behind the firewall', () => {
  it('answers under another name than clients call, and to who has a certificate alone', () => {
    const template = templateOf(behindFirewall);
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'origin.example.com',
      MutualTlsAuthentication: { TruststoreUri: 's3://example-trust/authority.pem' },
    });
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    template.hasOutput('BaseUrl', { Value: 'https://api.example.com' });
  });
});
