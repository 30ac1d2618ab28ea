import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { JobEvents } from '../../infra/events.ts';
import { RecruitmentStack } from '../../infra/recruitment-stack.ts';
import { readSettings } from '../../infra/settings.ts';
import { stageNames, stages } from '../../infra/stages.ts';
import { appOf, propertiesOf, stackOf, templateOf } from '../support/stack.ts';

const template = templateOf({ stage: 'prod' });
const { Resources: resources } = template.toJSON() as {
  Resources: Record<string, { Type: string; DeletionPolicy?: string; Properties: object }>;
};

/** The logical id of the one resource of a type whose id fits. */
function idOf(type: string, pattern: RegExp, within: Template = template): string {
  const [id, ...others] = Object.keys(within.findResources(type)).filter((each) =>
    pattern.test(each),
  );
  if (id === undefined || others.length > 0) throw new Error(`Not one ${type} fits ${pattern}.`);
  return id;
}

const arnOf = (type: string, pattern: RegExp) => ({ 'Fn::GetAtt': [idOf(type, pattern), 'Arn'] });
const key = arnOf('AWS::KMS::Key', /./);
const queue = arnOf('AWS::SQS::Queue', /^EventsDeadLetters/);
const bus = arnOf('AWS::Events::EventBus', /./);
const stream = { 'Fn::GetAtt': [idOf('AWS::DynamoDB::Table', /./), 'StreamArn'] };

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
        LogGroupArn: arnOf('AWS::Logs::LogGroup', /^EventsPipe/),
      },
    });
    template.hasResource('AWS::Logs::LogGroup', {
      DeletionPolicy: 'Retain',
      Properties: { KmsKeyId: key, RetentionInDays: 180 },
    });
  });

  it('may do no more than it does, on nothing else', () => {
    const policy = resources[idOf('AWS::IAM::Policy', /^EventsPipe/)]?.Properties;
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
      DependsOn: Match.arrayWith([idOf('AWS::IAM::Policy', /^EventsPipe/)]),
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
      EventsWebhookExample: arnOf('AWS::Events::Rule', /./),
    };
    for (const [prefix, source] of Object.entries(sources)) {
      const id = idOf('AWS::SQS::QueuePolicy', new RegExp(`^${prefix}`));
      expect(resources[id]?.Properties).toMatchObject({
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

describe('the bus', () => {
  it('is named after the stack, so that stages never meet, and is an output', () => {
    const settings = readSettings(appOf().node);
    for (const name of ['RecruitmentService-dev', 'RecruitmentService-prod']) {
      const staged = Template.fromStack(new RecruitmentStack(appOf(), name, { settings }));
      staged.hasResourceProperties('AWS::Events::EventBus', { Name: name });
      staged.hasOutput('EventBusName', {});
    }
  });

  it("is encrypted with the deployment's key, and leaves what it cannot decrypt in the queue", () => {
    template.hasResourceProperties('AWS::Events::EventBus', {
      KmsKeyIdentifier: key,
      DeadLetterConfig: { Arn: queue },
    });
  });

  it.each(stageNames)('keeps its events in %s as long as the table of stages says', (name) => {
    const { eventRetention } = stages[name as keyof typeof stages];
    templateOf({ stage: name }).hasResourceProperties('AWS::Events::Archive', {
      RetentionDays: eventRetention.toDays(),
      EventPattern: { source: ['recruitment'], 'detail-type': ['job.status_changed'] },
      KmsKeyIdentifier: Match.anyValue(),
    });
  });

  it('is there before its archive, which knows it by its name', () => {
    template.hasResource('AWS::Events::Archive', { DependsOn: [bus['Fn::GetAtt'][0]] });
    const [archive] = propertiesOf(template, 'AWS::Events::Archive');
    expect(JSON.stringify(archive?.SourceArn)).toContain(':event-bus/RecruitmentService"');
  });

  it('may use the key, and for this account alone', () => {
    const [{ KeyPolicy: policy } = { KeyPolicy: undefined }] = propertiesOf(
      template,
      'AWS::KMS::Key',
    );
    const { Statement: statements } = policy as unknown as { Statement: Statement[] };
    const ofEvents = statements.filter(
      ({ Principal: principal }) => principal.Service === 'events.amazonaws.com',
    );
    const account = { Ref: 'AWS::AccountId' };
    expect(ofEvents).toContainEqual(
      expect.objectContaining({
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Condition: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
  });
});

interface Statement {
  Principal: { Service?: unknown };
}

describe('what operators watch', () => {
  it('is a member of the construct', () => {
    const events = stackOf(appOf()).node.findChild('Events') as JobEvents;
    expect(events.deadLetterQueue.metricApproximateNumberOfMessagesVisible()).toBeDefined();
    expect(Stack.of(events).resolve([events.pipeName, events.streamArn])).toEqual([
      { Ref: idOf('AWS::Pipes::Pipe', /./) },
      stream,
    ]);
  });
});
