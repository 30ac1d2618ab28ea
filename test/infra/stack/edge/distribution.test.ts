import { Match } from 'aws-cdk-lib/assertions';
import { CachePolicy, OriginRequestPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { describe, expect, it } from 'vitest';
import { problemTypes } from '../../../../functions/contract/problem.ts';
import { behindFirewall, edgeTemplateOf, templatesOf } from '../../../support/edge.ts';
import { propertiesOf } from '../../../support/stack.ts';

const template = edgeTemplateOf();

/** Fails where the distribution lacks any of this. */
const expectConfig = (config: Record<string, unknown>) =>
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: Match.objectLike(config),
  });

describe('CloudFront', () => {
  it('calls the API with the certificate that the API asks for, over TLS 1.2', () => {
    expectConfig({
      Origins: [
        {
          Id: Match.anyValue(),
          DomainName: behindFirewall.originDomainName,
          CustomOriginConfig: {
            OriginProtocolPolicy: 'https-only',
            OriginSSLProtocols: ['TLSv1.2'],
            OriginMtlsConfig: { ClientCertificateArn: behindFirewall.originClientCertificateArn },
          },
        },
      ],
      CacheBehaviors: Match.absent(),
      OriginGroups: Match.absent(),
    });
  });

  it('keeps nothing, and passes on every header but Host', () => {
    expectConfig({
      DefaultCacheBehavior: Match.objectLike({
        CachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
        OriginRequestPolicyId:
          OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
        Compress: false,
      }),
    });
  });

  it('keeps no refusal, which is for one caller alone', () => {
    const [{ DistributionConfig: config } = {}] = propertiesOf(
      template,
      'AWS::CloudFront::Distribution',
    );
    const responses = (config as { CustomErrorResponses: { ErrorCode: number }[] })
      .CustomErrorResponses;
    for (const response of responses) {
      expect(response).toEqual({ ErrorCode: expect.any(Number), ErrorCachingMinTTL: 0 });
    }
    // CloudFront keeps none of the others of the contract: its guide, "HTTP 4xx and 5xx status codes that
    // CloudFront caches".
    const emptied = responses.map(({ ErrorCode }) => ErrorCode);
    const others = Object.values(problemTypes)
      .map(({ status }): number => status)
      .filter((status) => !emptied.includes(status));
    expect([...new Set(others)]).toEqual([401, 409, 412, 413, 415]);
  });

  it('lets through the methods of the API, and the preflight of browsers unanswered', () => {
    expectConfig({
      DefaultCacheBehavior: Match.objectLike({
        AllowedMethods: Match.arrayWith(['GET', 'OPTIONS', 'PATCH']),
        CachedMethods: Match.absent(),
        ResponseHeadersPolicyId: Match.absent(),
      }),
    });
  });

  it('leaves CORS to the API', () => {
    const templates = templatesOf({ ...behindFirewall, corsOrigins: 'https://app.example.com' });
    templates.get('RecruitmentService-dev')?.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.objectLike({ AllowOrigins: ['https://app.example.com'] }),
    });
    expect(templates.size).toBe(2);
  });

  it('takes clients with TLS 1.2 at least, by IPv4, under the name alone', () => {
    expectConfig({
      Aliases: [behindFirewall.domainName],
      HttpVersion: 'http2and3',
      IPV6Enabled: false,
      ViewerCertificate: {
        AcmCertificateArn: behindFirewall.certificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
      DefaultCacheBehavior: Match.objectLike({ ViewerProtocolPolicy: 'https-only' }),
    });
  });

  it('asks the firewall', () => {
    const [webAcl] = Object.keys(template.findResources('AWS::WAFv2::WebACL'));
    expectConfig({ WebACLId: { 'Fn::GetAtt': [webAcl, 'Arn'] } });
  });

  it('says where the name must point, or has its record made', () => {
    template.hasOutput('EdgeTarget', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'DomainName'] } });
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
    const zoned = edgeTemplateOf({ ...behindFirewall, hostedZoneId: 'Z0123456789ABCDEFGHIJ' });
    expect(zoned.findOutputs('EdgeTarget')).toEqual({});
    zoned.resourceCountIs('AWS::Route53::RecordSet', 1);
    zoned.hasResourceProperties('AWS::Route53::RecordSet', {
      Name: 'api.example.com.',
      Type: 'A',
      HostedZoneId: 'Z0123456789ABCDEFGHIJ',
      AliasTarget: { DNSName: { 'Fn::GetAtt': [Match.anyValue(), 'DomainName'] } },
    });
  });
});
