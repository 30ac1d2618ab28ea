import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { JobStatusChanged } from '../../../../functions/contract/job-status-changed.ts';
import { jobStatuses } from '../../../../functions/domain/job.ts';
import { changePattern } from '../../../../infra/stack/events/transformation.ts';
import { arnOf, idOf, propertiesOf, templateOf } from '../../../support/stack.ts';

const template = templateOf({ stage: 'prod' });

describe('the pipe', () => {
  const [pipe = {}] = propertiesOf(template, 'AWS::Pipes::Pipe');

  it('sends the records that it gives up to the queue', () => {
    const { SourceParameters: source } = pipe as Record<string, Record<string, object>>;
    const DeadLetterConfig = { Arn: arnOf(template, 'AWS::SQS::Queue') };
    expect(source?.DynamoDBStreamParameters).toMatchObject({ DeadLetterConfig });
  });

  it('is created after the policy of its role, and after the table', () => {
    const before = [
      idOf(template, 'AWS::IAM::Policy', 'EventsPipe'),
      idOf(template, 'AWS::DynamoDB::Table'),
    ];
    template.hasResource('AWS::Pipes::Pipe', { DependsOn: Match.arrayWith(before) });
  });

  const { SourceParameters: source, TargetParameters: target } = pipe as {
    SourceParameters: { FilterCriteria: { Filters: { Pattern: string }[] } };
    TargetParameters: { InputTemplate: string };
  };
  const [pattern = ''] = source.FilterCriteria.Filters.map(({ Pattern }) => Pattern);
  const { InputTemplate: inputTemplate } = target;
  const variables = [...inputTemplate.matchAll(/"(\w+)": <\$\.([\w.]+)>/g)];

  it('has a pattern and a template within the limits of a pipe, with room for a sixth status', () => {
    const { $or: alternatives } = changePattern.dynamodb;
    const room = 2 * JSON.stringify(alternatives[0]).length;
    expect(pattern.length + room).toBeLessThanOrEqual(4096);
    expect(inputTemplate.length).toBeLessThanOrEqual(8192);
  });

  it('has no quotation marks around the paths, so that AWS escapes each value', () => {
    expect(variables.map(([, member]) => member)).toEqual(JobStatusChanged.required);
    const rest = variables.reduce((text, [variable]) => text.replace(variable, ''), inputTemplate);
    expect(rest).toMatch(/^\{[, ]*\}$/);
  });

  it('accepts only records with all members that the template reads, for each status change', () => {
    const { eventName, dynamodb } = JSON.parse(pattern);
    const { $or: alternatives, ...always } = dynamodb;
    expect(eventName).toEqual(['MODIFY']);
    expect(always.Keys).toEqual({ sk: { S: ['JOB'] } });
    const froms = alternatives.map(({ OldImage, NewImage }: typeof dynamodb) => {
      const demanded = { OldImage, NewImage: { ...always.NewImage, ...NewImage } };
      for (const [, , path = ''] of variables) {
        expect({ dynamodb: demanded }, path).toHaveProperty(path, expect.any(Array));
      }
      const from: string[] = OldImage.status.S;
      expect(NewImage.previous_status.S).toEqual(from);
      expect(NewImage.status.S).toEqual(jobStatuses.filter((it) => !from.includes(it)));
      return from;
    });
    expect(froms).toEqual(jobStatuses.map((status) => [status]));
  });
});
