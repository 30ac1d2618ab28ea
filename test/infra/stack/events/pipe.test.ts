import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { arnOf, idOf, propertiesOf, templateOf } from '../../../support/stack.ts';

const template = templateOf({ stage: 'prod' });
const queue = arnOf(template, 'AWS::SQS::Queue');
const bus = arnOf(template, 'AWS::Events::EventBus');
const stream = { 'Fn::GetAtt': [idOf(template, 'AWS::DynamoDB::Table'), 'StreamArn'] };

describe('the pipe', () => {
  const [pipe = {}] = propertiesOf(template, 'AWS::Pipes::Pipe');

  it("reads the table's stream and puts events on the deployment's bus, without a function", () => {
    expect(pipe).toMatchObject({ Source: stream, Target: bus });
    expect(pipe).not.toHaveProperty('Enrichment');
    template.resourceCountIs('AWS::Lambda::Function', operationNames.length);
  });

  it('gives up a record, alone, after a limited time and number of retries, and leaves it in the queue', () => {
    template.hasResourceProperties('AWS::Pipes::Pipe', {
      SourceParameters: {
        DynamoDBStreamParameters: {
          StartingPosition: 'TRIM_HORIZON',
          MaximumRetryAttempts: Match.anyValue(),
          MaximumRecordAgeInSeconds: Match.anyValue(),
          OnPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          DeadLetterConfig: { Arn: queue },
        },
      },
    });
  });

  it('is created after the policy of its role', () => {
    template.hasResource('AWS::Pipes::Pipe', {
      DependsOn: Match.arrayWith([idOf(template, 'AWS::IAM::Policy', 'EventsPipe')]),
    });
  });

  it('has patterns and a template within the limits of a pipe', () => {
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

describe('the archive', () => {
  it('keeps the events of the bus and nothing else', () => {
    template.hasResourceProperties('AWS::Events::Archive', {
      SourceArn: bus,
      EventPattern: { source: ['recruitment'], 'detail-type': ['job.status_changed'] },
    });
  });
});
