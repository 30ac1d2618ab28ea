import { Aws, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { dataRemovalPolicyOf, type Stage } from './stages/stage.ts';

export interface StorageProps {
  stage: Stage;
  encryptionKey: IKey | undefined;
}

const READER = ['kms:Decrypt'];
/**
 * What the CDK's `Table.grantWriteData` allows, without its wildcards. AWS does not document a smaller set for writers.
 */
const WRITER = [
  ...READER,
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
];

interface KeyUse {
  /** The only AWS service through which the grantee may use the key. */
  service: 'dynamodb' | 's3';
  isWriter: boolean;
}

export function grantKey(grantee: IGrantable, keyArn: string, { service, isWriter }: KeyUse): void {
  Grant.addToPrincipal({
    grantee,
    actions: isWriter ? WRITER : READER,
    resourceArns: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.amazonaws.com` } },
  });
}

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
    // Matches the prefix of generated names: log groups refer to the key, so naming them would be circular.
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
