import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOf, type Stage } from '../settings/stages.ts';

interface EncryptedLogGroupProps {
  stage: Stage;
  encryptionKey: IKey;
}

/** A log group that is encrypted with the deployment's key and kept for as long as the stage says. */
export class EncryptedLogGroup extends LogGroup {
  constructor(scope: Construct, id: string, { stage, encryptionKey }: EncryptedLogGroupProps) {
    super(scope, id, {
      encryptionKey,
      retention: stage.logRetention,
      removalPolicy: removalPolicyOf(stage),
    });
  }
}
