import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { arnOf, idOf, propertiesOf, templateOf } from '../../../support/stack.ts';

const template = templateOf({ stage: 'prod' });
const key = arnOf(template, 'AWS::KMS::Key');
const queue = arnOf(template, 'AWS::SQS::Queue', 'EventsDeadLetters');
const bus = arnOf(template, 'AWS::Events::EventBus');
const stream = { 'Fn::GetAtt': [idOf(template, 'AWS::DynamoDB::Table'), 'StreamArn'] };

describe('the pipe', () => {
  const [pipe = {}] = propertiesOf(template, 'AWS::Pipes::Pipe');

  it("reads the table's stream and puts events on the deployment's bus, without a function", () => {
    expect(pipe).toMatchObject({ Source: stream, Target: bus });
    expect(pipe).not.toHaveProperty('Enrichment');
    template.resourceCountIs('AWS::Lambda::Function', 2);
  });

  it('gives up a record after a bounded time and number of tries, alone, to the queue', () => {
    template.hasResourceProperties('AWS::Pipes::Pipe', {
      SourceParameters: {
        DynamoDBStreamParameters: {
          StartingPosition: 'TRIM_HORIZON',
          BatchSize: 10,
          MaximumRetryAttempts: 20,
          MaximumRecordAgeInSeconds: 21_600,
          OnPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          DeadLetterConfig: { Arn: queue },
        },
      },
    });
  });

  it('logs errors alone, and nothing of what the stream holds', () => {
    expect(pipe.LogConfiguration).toEqual({
      Level: 'ERROR',
      CloudwatchLogsLogDestination: {
        LogGroupArn: arnOf(template, 'AWS::Logs::LogGroup', 'EventsPipe'),
      },
    });
    template.hasResource('AWS::Logs::LogGroup', {
      DeletionPolicy: 'Retain',
      Properties: { KmsKeyId: key, RetentionInDays: 180 },
    });
  });

  it('may do no more than it does, on nothing else', () => {
    const policy =
      template.findResources('AWS::IAM::Policy')[idOf(template, 'AWS::IAM::Policy', 'EventsPipe')]
        ?.Properties;
    expect(policy).toMatchObject({
      PolicyDocument: {
        Statement: [
          {
            Effect: 'Allow',
            Action: [
              'dynamodb:DescribeStream',
              'dynamodb:GetRecords',
              'dynamodb:GetShardIterator',
              'dynamodb:ListStreams',
            ],
            Resource: stream,
          },
          { Effect: 'Allow', Action: 'events:PutEvents', Resource: bus },
          { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queue },
          { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: key },
        ],
      },
    });
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          Match.objectLike({
            Principal: { Service: 'pipes.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ],
      },
    });
  });

  it('has its policy before it is made', () => {
    template.hasResource('AWS::Pipes::Pipe', {
      DependsOn: Match.arrayWith([idOf(template, 'AWS::IAM::Policy', 'EventsPipe')]),
    });
  });

  it('has no more patterns, and no longer ones, than a pipe takes', () => {
    const { SourceParameters: source, TargetParameters: target } = pipe as {
      SourceParameters: { FilterCriteria: { Filters: { Pattern: string }[] } };
      TargetParameters: { InputTemplate: string };
    };
    const { Filters: filters } = source.FilterCriteria;
    expect(filters.length).toBeLessThanOrEqual(5);
    for (const { Pattern: pattern } of filters) expect(pattern.length).toBeLessThanOrEqual(4096);
    expect(target.InputTemplate.length).toBeLessThanOrEqual(8192);
  });
});
