import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import type { StorageProps } from '../encryption.ts';
import { EncryptedLogGroup } from '../log-group.ts';
import type { RecruitmentTable } from '../table.ts';
import { changePattern, changeTemplate } from './transformation.ts';

interface ChangePipeProps extends StorageProps {
  table: RecruitmentTable;
  bus: EventBus;
  deadLetterQueue: IQueue;
}

/** As many as one PutEvents call takes. */
const BATCH_SIZE = 10;
/** A stream keeps a record for a day, so one that is given up can be read for 18 hours more. */
const GIVE_UP_AFTER = Duration.hours(6);
const RETRIES = 20;

/** The EventBridge pipe that makes an event from each change of a job's status in the table's stream. */
export class ChangePipe extends Construct {
  /** The dimension `PipeName` of the metrics in `AWS/EventBridge/Pipes`. */
  readonly pipeName: string;

  constructor(scope: Construct, id: string, props: ChangePipeProps) {
    super(scope, id);
    const role = this.createRole(props);
    const { logGroupArn } = new EncryptedLogGroup(this, 'Logs', props);
    const pipe = new CfnPipe(this, 'Pipe', {
      description: 'Recruitment service: changes of the status of jobs',
      roleArn: role.roleArn,
      source: props.table.streamArn,
      sourceParameters: {
        filterCriteria: { filters: [{ pattern: JSON.stringify(changePattern) }] },
        dynamoDbStreamParameters: {
          // A new pipe repeats the events of the last day, so that it loses none that nothing has read.
          startingPosition: 'TRIM_HORIZON',
          batchSize: BATCH_SIZE,
          maximumRetryAttempts: RETRIES,
          maximumRecordAgeInSeconds: GIVE_UP_AFTER.toSeconds(),
          onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          deadLetterConfig: { arn: props.deadLetterQueue.queueArn },
        },
      },
      target: props.bus.eventBusArn,
      targetParameters: {
        eventBridgeEventBusParameters: {
          source: jobStatusChanged.source,
          detailType: jobStatusChanged.type,
        },
        inputTemplate: changeTemplate,
      },
      // Without execution data, so that no log holds what is in the stream.
      logConfiguration: { level: 'ERROR', cloudwatchLogsLogDestination: { logGroupArn } },
    });
    // EventBridge tests the role when it creates the pipe, so its policy must exist, and the stream be there.
    pipe.node.addDependency(role, props.table);
    this.pipeName = pipe.ref;
  }

  private createRole({ table, bus, deadLetterQueue }: ChangePipeProps): Role {
    const { account, partition, region } = Stack.of(this);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          // CloudFormation names the pipe after it has created the role.
          ArnLike: { 'aws:SourceArn': `arn:${partition}:pipes:${region}:${account}:pipe/*` },
        },
      }),
    });
    table.grantStreamRead(role);
    bus.grantPutEventsTo(role);
    const resourceArns = [deadLetterQueue.queueArn];
    Grant.addToPrincipal({ grantee: role, actions: ['sqs:SendMessage'], resourceArns });
    Validations.of(role).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
      reason: 'The policy belongs to this role alone; a managed one could be attached to others.',
    });
    return role;
  }
}
