import { Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { removalPolicyOf, type Stage } from '../settings/stages.ts';

/** The key that all of a deployment is encrypted with; it changes every year. */
export class EncryptionKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Recruitment service: table, logs and events',
      enableKeyRotation: true,
      removalPolicy: removalPolicyOf(stage),
    });
    this.allowLogs();
  }

  /**
   * Lets a reader or writer of the table have DynamoDB decrypt the table's key: this is all that
   * DynamoDB asks of KMS in its caller's name, for writes too (Amazon DynamoDB Developer Guide, "Using
   * encryption at rest: usage notes"). Table keys are made and maintained with grants of the table's.
   */
  grantTableUse(grantee: IGrantable): Grant {
    const { region } = Stack.of(this);
    return Grant.addToPrincipal({
      grantee,
      actions: ['kms:Decrypt'],
      resourceArns: [this.key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${region}.amazonaws.com` } },
    });
  }

  /** CloudWatch Logs may use the key for log groups of this account and region alone. */
  private allowLogs(): void {
    const { account, partition, region } = Stack.of(this);
    const logs = new ServicePrincipal(`logs.${region}.amazonaws.com`);
    this.key.grant(
      logs.withConditions({
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*`,
        },
      }),
      'kms:Encrypt',
      'kms:Decrypt',
      'kms:ReEncrypt*',
      'kms:GenerateDataKey*',
      'kms:DescribeKey',
    );
  }
}
