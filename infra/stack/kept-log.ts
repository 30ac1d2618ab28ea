import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { removalPolicyOf, type Stage } from '../settings/stages.ts';

interface KeptLogProps {
  stage: Stage;
  encryptionKey: IKey;
}

/** A log group that is encrypted and kept as the stage has it; without a name, CloudFormation gives one. */
export function keptLog(
  scope: Construct,
  id: string,
  { stage, encryptionKey }: KeptLogProps,
  logGroupName?: string,
): LogGroup {
  return new LogGroup(scope, id, {
    encryptionKey,
    retention: stage.logRetention,
    removalPolicy: removalPolicyOf(stage),
    ...(logGroupName !== undefined && { logGroupName }),
  });
}
