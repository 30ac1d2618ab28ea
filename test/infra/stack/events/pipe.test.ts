import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { JobStatusChanged } from '../../../../functions/contract/job-status-changed.ts';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../../functions/domain/job.ts';
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

  const { SourceParameters: source, TargetParameters: target } = pipe as {
    SourceParameters: { FilterCriteria: { Filters: { Pattern: string }[] } };
    TargetParameters: { InputTemplate: string };
  };
  const patterns = source.FilterCriteria.Filters.map(({ Pattern }) => Pattern);
  const { InputTemplate: inputTemplate } = target;
  const variables = [...inputTemplate.matchAll(/"(\w+)": <\$\.([\w.]+)>/g)];

  it('has patterns and a template within the limits of a pipe', () => {
    expect(patterns.length).toBeLessThanOrEqual(5);
    for (const pattern of patterns) expect(pattern.length).toBeLessThanOrEqual(4096);
    expect(inputTemplate.length).toBeLessThanOrEqual(8192);
  });

  it('takes each member of the event from a path without quotation marks, so that AWS escapes it', () => {
    expect(variables.map(([, member]) => member)).toEqual(JobStatusChanged.required);
    const rest = variables.reduce((text, [variable]) => text.replace(variable, ''), inputTemplate);
    expect(rest).toMatch(/^\{[, ]*\}$/);
  });

  it('lets through only records that have what the template reads, from each status to another', () => {
    const froms = patterns.map((text) => {
      const pattern = JSON.parse(text);
      const at = (path = '') => path.split('.').reduce((node, step) => node?.[step], pattern);
      for (const [, , path] of variables) expect(at(path), path).toEqual(expect.any(Array));
      const from: string[] = at('dynamodb.OldImage.status.S');
      expect(at('eventName')).toEqual(['MODIFY']);
      expect(at('dynamodb.Keys.sk.S')).toEqual(['JOB']);
      expect(at('dynamodb.NewImage.previous_status.S')).toEqual(from);
      const others = jobStatuses.filter((status) => !from.includes(status));
      expect(at('dynamodb.NewImage.status.S')).toEqual(others);
      return from;
    });
    expect(froms).toEqual(jobStatuses.map((status) => [status]));
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
