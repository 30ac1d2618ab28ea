import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { propertiesOf, templateOf } from '../../../support/stack.ts';

interface Statement {
  Effect: string;
  Principal: unknown;
  Action: unknown;
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

const template = templateOf({ stage: 'prod' });
const [topic = ''] = Object.keys(template.findResources('AWS::SNS::Topic'));
const [key = ''] = Object.keys(template.findResources('AWS::KMS::Key'));

const statementsOf = (type: string, document: string) =>
  propertiesOf(template, type).flatMap(
    (properties) => (properties[document] as { Statement: Statement[] }).Statement,
  );

const ofCloudWatch = (statements: Statement[]) =>
  statements.filter(({ Principal }) => JSON.stringify(Principal).includes('cloudwatch'));

/** Alarms of this stack, in this account and region. */
const condition = {
  StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
  ArnLike: {
    'aws:SourceArn': {
      'Fn::Join': [
        '',
        [
          'arn:',
          { Ref: 'AWS::Partition' },
          ':cloudwatch:',
          { Ref: 'AWS::Region' },
          ':',
          { Ref: 'AWS::AccountId' },
          ':alarm:RecruitmentService-prod-*',
        ],
      ],
    },
  },
};

describe('the topic of the alarms', () => {
  it('is one, encrypted with the key of the deployment', () => {
    template.resourceCountIs('AWS::SNS::Topic', 1);
    template.hasResourceProperties('AWS::SNS::Topic', {
      KmsMasterKeyId: { 'Fn::GetAtt': [key, 'Arn'] },
    });
  });

  it('lets the alarms of this stack publish, and whoever does without TLS not', () => {
    const statements = statementsOf('AWS::SNS::TopicPolicy', 'PolicyDocument');
    expect(statements).toHaveLength(2);
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sns:Publish',
        Principal: '*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
    expect(ofCloudWatch(statements)).toEqual([
      {
        Sid: expect.any(String),
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: topic },
        Condition: condition,
      },
    ]);
  });

  it('lets those alarms use the key, without which none would arrive', () => {
    expect(ofCloudWatch(statementsOf('AWS::KMS::Key', 'KeyPolicy'))).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Resource: '*',
        Condition: condition,
      },
    ]);
  });

  it('is told to the deployment, which subscribes to it what it likes', () => {
    template.hasOutput('AlarmTopicArn', { Value: { Ref: topic } });
    template.resourceCountIs('AWS::SNS::Subscription', 0);
  });

  it('sends e-mails to the address that the deployment names', () => {
    templateOf({ alarmEmail: 'ops@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'ops@example.com',
      TopicArn: { Ref: Match.anyValue() },
    });
  });
});
