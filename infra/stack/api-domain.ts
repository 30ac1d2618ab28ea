import { DomainName, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ApiDomainSettings } from '../settings/edge-settings.ts';
import { pointName } from './dns.ts';

/** A name of the deployment's own for the API, in its region, and the name's record where DNS is ours. */
export class ApiDomain extends Construct {
  readonly domainName: DomainName;

  constructor(scope: Construct, id: string, settings: ApiDomainSettings) {
    super(scope, id);
    const { name, certificateArn, trustStore, hostedZoneId } = settings;
    this.domainName = new DomainName(this, 'DomainName', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(trustStore && {
        mtls: {
          bucket: Bucket.fromBucketName(this, 'TrustStore', trustStore.bucket),
          key: trustStore.key,
          ...(trustStore.version !== undefined && { version: trustStore.version }),
        },
      }),
    });
    const { regionalDomainName, regionalHostedZoneId } = this.domainName;
    pointName(this, {
      name,
      hostedZoneId,
      alias: new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId),
      target: regionalDomainName,
      output: 'ApiDomainTarget',
    });
  }
}
