import { describe, expect, it } from 'vitest';
import { arnOf, idOf, templateOf } from '../../../support/stack.ts';

const template = templateOf({ stage: 'prod' });
const key = arnOf(template, 'AWS::KMS::Key');
const bus = arnOf(template, 'AWS::Events::EventBus');

describe('the dead-letter queues', () => {
  const queues = Object.entries(template.findResources('AWS::SQS::Queue'));

  it("are encrypted with the deployment's key and keep a message for 14 days", () => {
    expect(queues).toHaveLength(2);
    for (const [, { Properties: properties }] of queues) {
      expect(properties).toEqual({ KmsMasterKeyId: key, MessageRetentionPeriod: 1_209_600 });
    }
  });

  it('are reached by TLS alone, and by EventBridge for their own source alone', () => {
    const sources = {
      EventsDeadLetters: bus,
      EventsWebhookExample: arnOf(template, 'AWS::Events::Rule'),
    };
    for (const [prefix, source] of Object.entries(sources)) {
      const id = idOf(template, 'AWS::SQS::QueuePolicy', prefix);
      expect(template.findResources('AWS::SQS::QueuePolicy')[id]?.Properties).toMatchObject({
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Deny',
              Action: 'sqs:*',
              Principal: { AWS: '*' },
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            },
            {
              Effect: 'Allow',
              Action: 'sqs:SendMessage',
              Principal: { Service: 'events.amazonaws.com' },
              Condition: { ArnEquals: { 'aws:SourceArn': source } },
            },
          ],
        },
      });
    }
  });
});
