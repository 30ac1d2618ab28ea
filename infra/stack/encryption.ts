import { Aws, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { dataRemovalPolicyOf, type Stage } from '../settings/stages.ts';

/** What a construct needs that stores something. */
export interface StorageProps {
  stage: Stage;
  /** The key of the stack; without it, AWS owns the keys of what is stored. */
  encryptionKey: IKey | undefined;
}

/** Lets the grantee decrypt with a key, but only through one service of AWS. */
export function grantDecrypt(grantee: IGrantable, keyArn: string, service: string): void {
  Grant.addToPrincipal({
    grantee,
    actions: ['kms:Decrypt'],
    resourceArns: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.amazonaws.com` } },
  });
}

/** The key that encrypts the table and the logs; AWS rotates it every year. */
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
    // CloudFormation begins the names that it generates with that of the stack. The names themselves would be
    // a circle, because the log groups name the key.
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
