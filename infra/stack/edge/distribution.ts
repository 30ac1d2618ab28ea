import { Duration, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  type CfnDistribution,
  Distribution,
  type ErrorResponse,
  HttpVersion,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { FirewallSettings } from '../../settings/edge-settings.ts';
import { pointName } from '../dns.ts';

interface EdgeDistributionProps {
  settings: FirewallSettings;
  webAcl: CfnWebACL;
}

/** All statuses that CloudFront would keep for ten seconds, and for other callers than the one refused. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** CloudFront in front of the API: it keeps nothing, and passes on all but the name that was called. */
export class EdgeDistribution extends Construct {
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, { settings, webAcl }: EdgeDistributionProps) {
    super(scope, id);
    const { domainName, certificateArn, hostedZoneId } = settings;
    this.distribution = new Distribution(this, 'Distribution', {
      comment: 'Recruitment service',
      domainNames: [domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      // As the API itself; and who has IPv6 has more addresses than a limit for each can hold.
      enableIpv6: false,
      webAclId: webAcl.attrArn,
      errorResponses: CACHED_ERRORS.map(uncached),
      defaultBehavior: {
        origin: new MutualTlsOrigin(settings),
        // No redirect: a token that came without TLS is lost already, and its owner should see it.
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        compress: false,
      },
    });
    pointName(this, {
      name: domainName,
      hostedZoneId,
      alias: new CloudFrontTarget(this.distribution),
      target: this.distribution.distributionDomainName,
      output: 'EdgeTarget',
    });
    this.acknowledge();
  }

  private acknowledge(): void {
    Validations.of(this).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-CFR1',
        reason: 'Recruitment platforms, and those who work for them, may call from any country.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-CFR3',
        reason: 'The access log is delivered to CloudWatch, which can leave out paths and queries.',
      },
    );
  }
}

/** The API, which answers only to who presents this certificate: CloudFront. */
class MutualTlsOrigin extends HttpOrigin {
  readonly #clientCertificateArn: string;

  constructor({ originDomainName, clientCertificateArn }: FirewallSettings) {
    super(originDomainName);
    this.#clientCertificateArn = clientCertificateArn;
  }

  protected override renderCustomOriginConfig(): CfnDistribution.CustomOriginConfigProperty {
    return {
      originProtocolPolicy: 'https-only',
      ...super.renderCustomOriginConfig(),
      originMtlsConfig: { clientCertificateArn: this.#clientCertificateArn },
    };
  }
}

/** It must not answer one caller with what another was told: its cache knows paths, not tokens. */
const uncached = (httpStatus: number): ErrorResponse => ({ httpStatus, ttl: Duration.seconds(0) });
