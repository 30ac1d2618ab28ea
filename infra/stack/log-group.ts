import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOf } from '../settings/stages.ts';
import type { StorageProps } from './encryption.ts';

/** A log group that is encrypted with the deployment's key and kept for as long as the stage says. */
export class EncryptedLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { stage, encryptionKey }: StorageProps) {
    super(scope, id, {
      encryptionKey,
      retention: stage.logRetention,
      removalPolicy: removalPolicyOf(stage),
    });
  }
}
