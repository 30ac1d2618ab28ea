import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ApiDomainSettings } from './settings.ts';

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
    if (hostedZoneId === undefined) {
      new CfnOutput(this, 'Target', {
        value: this.domainName.regionalDomainName,
        description: `Make a CNAME record of ${name} that points here`,
      }).overrideLogicalId('ApiDomainTarget');
    } else {
      this.record(name, hostedZoneId);
    }
  }

  private record(name: string, hostedZoneId: string): void {
    const { regionalDomainName, regionalHostedZoneId } = this.domainName;
    new ARecord(this, 'Record', {
      zone: HostedZone.fromHostedZoneId(this, 'Zone', hostedZoneId),
      // The final dot makes the name absolute: the zone's own name is not known.
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(
        new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId),
      ),
    });
  }
}
