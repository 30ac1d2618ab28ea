import { Validations } from 'aws-cdk-lib';
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
    if (encryptionKey) return;
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-CloudWatchLogGroupEncrypted',
      reason:
        'A stage for experiments has no KMS key of its own. CloudWatch Logs encrypts all logs by default.',
    });
  }
}
