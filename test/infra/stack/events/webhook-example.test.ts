import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { idOf, propertiesOf, templateOf } from '../../../support/stack.ts';

const url = 'https://hooks.example.com/jobs';
const template = templateOf({ webhookUrl: url });
const only = (type: string) => idOf(template, type);

describe('the example of a webhook', () => {
  it('is disabled', () => {
    template.resourceCountIs('AWS::Events::Rule', 1);
    template.hasResourceProperties('AWS::Events::Rule', { State: 'DISABLED' });
  });

  it('takes the events of the bus and posts their detail, again for a day, then to its queue', () => {
    const destination = only('AWS::Events::ApiDestination');
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: only('AWS::Events::EventBus') },
      EventPattern: { source: ['recruitment'], 'detail-type': ['job.status_changed'] },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [destination, 'Arn'] },
          InputPath: '$.detail',
          RetryPolicy: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
          DeadLetterConfig: {
            Arn: {
              'Fn::GetAtt': [Match.stringLikeRegexp('^EventsWebhookExampleDeadLetters'), 'Arn'],
            },
          },
        },
      ],
    });
    template.hasResourceProperties('AWS::Events::ApiDestination', {
      HttpMethod: 'POST',
      InvocationEndpoint: url,
    });
  });

  it('may invoke its destination and nothing else', () => {
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          {
            Action: 'events:InvokeApiDestination',
            Effect: 'Allow',
            Resource: { 'Fn::GetAtt': [only('AWS::Events::ApiDestination'), 'ArnForPolicy'] },
          },
        ],
      },
    });
  });

  it('sends a token that was generated and that the template does not hold', () => {
    const secret = only('AWS::SecretsManager::Secret');
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      KmsKeyId: Match.anyValue(),
      GenerateSecretString: { PasswordLength: 64 },
      SecretString: Match.absent(),
    });
    const [connection = {}] = propertiesOf(template, 'AWS::Events::Connection');
    expect(connection).toMatchObject({
      AuthorizationType: 'API_KEY',
      AuthParameters: {
        ApiKeyAuthParameters: {
          ApiKeyName: 'Authorization',
          ApiKeyValue: {
            'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: secret }, ':SecretString:::}}']],
          },
        },
      },
    });
  });
});
