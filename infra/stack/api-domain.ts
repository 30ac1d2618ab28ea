import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { parseS3Uri, S3_URI_RULE } from '../../functions/domain/s3-uri.ts';
import type { Settings } from './settings/settings.ts';

interface ApiDomainProps
  extends Pick<Settings, 'hostedZoneId' | 'trustStore' | 'trustStoreVersion'> {
  name: string;
  certificateArn: string;
}

/** Without a hosted zone, you create the DNS record yourself, from the output `ApiDomainTarget`. */
export class ApiDomain extends Construct {
  readonly domainName: DomainName;

  constructor(scope: Construct, id: string, props: ApiDomainProps) {
    super(scope, id);
    const { name, certificateArn, trustStoreVersion: version, hostedZoneId } = props;
    const trustStore = props.trustStore === undefined ? undefined : trustStoreOf(props.trustStore);
    this.domainName = new DomainName(this, 'DomainName', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(trustStore !== undefined && {
        mtls: {
          bucket: Bucket.fromBucketName(this, 'TrustStore', trustStore.bucket),
          key: trustStore.key,
          ...(version !== undefined && { version }),
        },
      }),
    });
    const { regionalDomainName, regionalHostedZoneId } = this.domainName;
    if (hostedZoneId === undefined) {
      new CfnOutput(this, 'Target', {
        value: regionalDomainName,
        description: `The value for a CNAME record with the name ${name}`,
      }).overrideLogicalId('ApiDomainTarget');
      return;
    }
    new ARecord(this, 'Record', {
      zone: HostedZone.fromHostedZoneId(this, 'Zone', hostedZoneId),
      // The final dot keeps the CDK from appending the zone's name: it knows only the zone's id.
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(
        new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId),
      ),
    });
  }
}

function trustStoreOf(uri: string) {
  const location = parseS3Uri(uri);
  // Without a trust store, the API would let in clients without a certificate.
  if (location === undefined) throw new Error(`trustStore must be ${S3_URI_RULE}.`);
  return location;
}
