import { Validations } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOf } from '../settings/stages.ts';
import type { StorageProps } from './encryption.ts';

/** A log group that is encrypted with the stack's key, if it has one, and kept for as long as the stage says. */
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
      reason: 'A stage for trying things out has no key of its own, and AWS encrypts all logs.',
    });
  }
}
