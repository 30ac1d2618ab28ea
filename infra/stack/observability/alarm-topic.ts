import { Stack, Validations } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

interface AlarmTopicProps {
  email: string | undefined;
}

export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { email }: AlarmTopicProps) {
    super(scope, id);
    // No KMS key: alarms contain no personal data, and must arrive even while the key is disabled.
    this.topic = new Topic(this, 'Topic', {
      displayName: Stack.of(this).stackName,
      enforceSSL: true,
    });
    // Replaces the default policy, which lets the whole account publish.
    this.topic.grantPublish(this.alarmsOfThisStack());
    if (email === undefined) return;
    this.topic.addSubscription(new EmailSubscription(email));
    Validations.of(this).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason: 'If an e-mail bounces, CloudWatch still shows the alarm and its history.',
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
