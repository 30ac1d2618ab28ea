import { Stack, Validations } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

interface AlarmTopicProps {
  /** Who gets an e-mail for each change of state, after confirming the subscription. */
  email: string | undefined;
}

/**
 * The topic that alarms notify when they go to ALARM and return to OK. It has no key, so that alarms also arrive
 * while a key is disabled.
 */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { email }: AlarmTopicProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', {
      displayName: Stack.of(this).stackName,
      enforceSSL: true,
    });
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-SNSEncryptedKMS',
      reason:
        'Alarm texts contain no personal data, and the alarms must also arrive while a key is disabled.',
    });
    // A policy of the topic's own replaces the one by which the whole account may publish.
    this.topic.grantPublish(this.alarmsOfThisStack());
    if (email === undefined) return;
    this.topic.addSubscription(new EmailSubscription(email));
    Validations.of(this).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason: 'An alarm whose e-mail bounces is still in CloudWatch, with its history.',
    });
  }

  private alarmsOfThisStack() {
    const { account, partition, region, stackName } = Stack.of(this);
    return new ServicePrincipal('cloudwatch.amazonaws.com').withConditions({
      StringEquals: { 'aws:SourceAccount': account },
      ArnLike: {
        'aws:SourceArn': `arn:${partition}:cloudwatch:${region}:${account}:alarm:${stackName}-*`,
      },
    });
  }
}
