import { Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Authorization,
  CfnApiDestination,
  CfnRule,
  Connection,
  type EventBus,
} from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { removalPolicyOf, type Stage } from '../../settings/stages.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';

interface WebhookExampleProps {
  stage: Stage;
  encryptionKey: IKey;
  bus: EventBus;
  /** Where events are posted to; https. */
  webhookUrl: string;
}

/** The most that EventBridge tries. */
const RETRIES = {
  maximumRetryAttempts: 185,
  maximumEventAgeInSeconds: Duration.days(1).toSeconds(),
};
const REQUESTS_PER_SECOND = 10;

/**
 * An example of a subscription: a rule, disabled until somebody enables it, that posts the detail of
 * each event to a webhook with a token of its own. What cannot be delivered within a day goes to a
 * queue of its own.
 */
export class WebhookExample extends Construct {
  constructor(scope: Construct, id: string, props: WebhookExampleProps) {
    super(scope, id);
    const { bus } = props;
    const deadLetters = new DeadLetterQueue(this, 'DeadLetters', props);
    const destination = this.destination(props);
    const rule = new CfnRule(this, 'Rule', {
      description: 'Example: posts changes of the status of jobs to a webhook',
      state: 'DISABLED',
      eventBusName: bus.eventBusName,
      eventPattern: {
        source: [jobStatusChanged.source],
        'detail-type': [jobStatusChanged.type],
      },
      targets: [
        {
          id: 'webhook',
          arn: destination.attrArn,
          roleArn: this.roleFor(destination).roleArn,
          inputPath: '$.detail',
          retryPolicy: RETRIES,
          deadLetterConfig: { arn: deadLetters.queue.queueArn },
        },
      ],
    });
    deadLetters.acceptFrom(rule.attrArn);
  }

  private destination(props: WebhookExampleProps): CfnApiDestination {
    return new CfnApiDestination(this, 'Destination', {
      description: 'Example of a webhook',
      connectionArn: this.connection(props).connectionArn,
      httpMethod: 'POST',
      invocationEndpoint: props.webhookUrl,
      invocationRateLimitPerSecond: REQUESTS_PER_SECOND,
    });
  }

  /** The receiver knows its caller by the header Authorization, whose token nobody has to make up. */
  private connection({ stage, encryptionKey }: WebhookExampleProps): Connection {
    const secret = new Secret(this, 'Token', {
      description: 'Recruitment service: what the example webhook is sent as Authorization',
      encryptionKey,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: removalPolicyOf(stage),
    });
    const changedByHand = 'The receiver has to learn a new token first, so it changes by hand.';
    Validations.of(secret).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-SMG4', reason: changedByHand },
      { id: 'NIST.800.53.R5::NIST.800.53.R5-SecretsManagerRotationEnabled', reason: changedByHand },
    );
    return new Connection(this, 'Connection', {
      description: 'Example of a webhook',
      authorization: Authorization.apiKey('Authorization', secret.secretValue),
    });
  }

  private roleFor(destination: CfnApiDestination): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['events:InvokeApiDestination'],
        resources: [destination.attrArnForPolicy],
      }),
    );
    Validations.of(role).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
      reason: 'The policy is of this role alone, where a managed one could be attached to others.',
    });
    return role;
  }
}
