import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../infra/settings/settings.ts';
import { stageNames, stages } from '../../../../infra/settings/stages.ts';
import type { JobEvents } from '../../../../infra/stack/events/job-events.ts';
import { RecruitmentStack } from '../../../../infra/stack/recruitment-stack.ts';
import { appOf, arnOf, idOf, propertiesOf, stackOf, templateOf } from '../../../support/stack.ts';

const template = templateOf({ stage: 'prod' });
const key = arnOf(template, 'AWS::KMS::Key');
const queue = arnOf(template, 'AWS::SQS::Queue', 'EventsDeadLetters');
const bus = arnOf(template, 'AWS::Events::EventBus');

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
    expect(JSON.stringify(archive?.SourceArn)).toContain(':event-bus/RecruitmentService-prod"');
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
      { Ref: idOf(template, 'AWS::Pipes::Pipe') },
      { 'Fn::GetAtt': [idOf(template, 'AWS::DynamoDB::Table'), 'StreamArn'] },
    ]);
  });
});
