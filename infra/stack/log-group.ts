import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { StorageProps } from './encryption.ts';
import { removalPolicyOf } from './stages/stage.ts';

export class EncryptedLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { stage, encryptionKey }: StorageProps) {
    super(scope, id, {
      ...(encryptionKey && { encryptionKey }),
      retention: stage.logRetention,
      removalPolicy: removalPolicyOf(stage),
    });
  }
}
