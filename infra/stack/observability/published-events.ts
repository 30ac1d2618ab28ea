import { Duration, Validations } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import type { JobEvents } from '../events/job-events.ts';

/**
 * Counts what reaches the bus, in the rule's metric `MatchedEvents`. The pipe's own `EventCount` may include
 * events that it failed to publish. Replayed events do not count: they have a `replay-name`.
 */
export function publishedEventsRule(scope: Construct, { bus }: JobEvents): CfnRule {
  // Nobody reads this queue. It exists because AWS does not document metrics for a rule without a target.
  const queue = new Queue(scope, 'PublishedEvents', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.hours(1),
  });
  const rule = new CfnRule(scope, 'Published', {
    description: 'Counts the published events (metric MatchedEvents)',
    eventBusName: bus.eventBusName,
    eventPattern: {
      source: [jobStatusChanged.source],
      'detail-type': [jobStatusChanged.type],
      'replay-name': [{ exists: false }],
    },
    targets: [{ id: 'Queue', arn: queue.queueArn }],
  });
  const reason = 'Nobody reads the queue, so no message in it matters.';
  Validations.of(queue).acknowledge(
    { id: 'AwsSolutions::AwsSolutions-SQS3', reason },
    { id: 'Serverless::Serverless-SQSRedrivePolicy', reason },
  );
  Validations.of(rule).acknowledge({ id: 'Serverless::Serverless-EventBusDLQ', reason });
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': rule.attrArn } },
    }),
  );
  return rule;
}
