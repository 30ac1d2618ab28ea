import { Aws, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { dataRemovalPolicyOf, type Stage } from './stages/stage.ts';

/** The properties of a construct that stores data. */
export interface StorageProps {
  stage: Stage;
  /** The stack's KMS key. If it is undefined, AWS owns the keys that encrypt the data. */
  encryptionKey: IKey | undefined;
}

/** Allows the grantee to decrypt with a KMS key, but only through one AWS service. */
export function grantDecrypt(grantee: IGrantable, keyArn: string, service: string): void {
  Grant.addToPrincipal({
    grantee,
    actions: ['kms:Decrypt'],
    resourceArns: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.amazonaws.com` } },
  });
}

/** The KMS key for the table and the logs. AWS rotates the key every year. */
export class EncryptionKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: 'Recruitment service: table and logs',
      enableKeyRotation: true,
      removalPolicy: dataRemovalPolicyOf(stage),
    });
    const { account, partition, region, stackName } = Stack.of(this);
    // Generated names of log groups begin with the stack's name. The policy cannot reference the log groups themselves,
    // because they reference the key, and CloudFormation rejects circular references.
    const logGroups = `arn:${partition}:logs:${region}:${account}:log-group:${stackName}-*`;
    this.key.grant(
      new ServicePrincipal(`logs.${region}.amazonaws.com`).withConditions({
        ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups },
      }),
      'kms:Encrypt',
      'kms:Decrypt',
      'kms:ReEncrypt*',
      'kms:GenerateDataKey*',
      'kms:DescribeKey',
    );
  }
}
