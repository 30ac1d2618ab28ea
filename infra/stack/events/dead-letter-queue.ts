import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { removalPolicyOf, type Stage } from '../../settings/stages.ts';

interface DeadLetterQueueProps {
  stage: Stage;
  encryptionKey: IKey;
}

/** A queue of what could not be delivered, kept for the 14 days that SQS keeps a message at most. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { stage, encryptionKey }: DeadLetterQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.KMS,
      encryptionMasterKey: encryptionKey,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: removalPolicyOf(stage),
    });
    const isDeadLetterQueue = 'It is a dead-letter queue itself.';
    Validations.of(this).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-SQS3', reason: isDeadLetterQueue },
      { id: 'Serverless::Serverless-SQSRedrivePolicy', reason: isDeadLetterQueue },
    );
  }

  /** Lets EventBridge send what `source`, an event bus or a rule, could not deliver. */
  acceptFrom(source: string): void {
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': source } },
      }),
    );
  }
}
