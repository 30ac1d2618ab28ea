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

/** The maximum number of events in one PutEvents call. */
const BATCH_SIZE = 10;
/**
 * The age at which the pipe stops retrying a stream record. The stream keeps each record for 24 hours, so an operator
 * has the other 18 hours to read the record.
 */
const GIVE_UP_AFTER = Duration.hours(6);
const RETRIES = 20;

/** The EventBridge pipe that makes an event from each status change in the table's stream. */
export class ChangePipe extends Construct {
  /** The `PipeName` dimension of the metrics in `AWS/EventBridge/Pipes`. */
  readonly pipeName: string;

  constructor(scope: Construct, id: string, props: ChangePipeProps) {
    super(scope, id);
    const role = this.createRole(props);
    const { logGroupArn } = new EncryptedLogGroup(this, 'Logs', props);
    const pipe = new CfnPipe(this, 'Pipe', {
      description: 'Recruitment service: status changes of jobs',
      roleArn: role.roleArn,
      source: props.table.streamArn,
      sourceParameters: {
        filterCriteria: { filters: [{ pattern: JSON.stringify(changePattern) }] },
        dynamoDbStreamParameters: {
          // A new pipe starts with the oldest record in the stream. The pipe may repeat events of the last day, but
          // misses no event.
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
      // Leave out execution data, because it would copy the stream's content into the log.
      logConfiguration: { level: 'ERROR', cloudwatchLogsLogDestination: { logGroupArn } },
    });
    // EventBridge tests the role when it creates the pipe. The role's policy and the stream must exist by then.
    pipe.node.addDependency(role, props.table);
    this.pipeName = pipe.ref;
  }

  private createRole({ table, bus, deadLetterQueue }: ChangePipeProps): Role {
    const { account, partition, region } = Stack.of(this);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          // This condition cannot contain the pipe's name, because CloudFormation creates the role before the pipe.
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
      reason:
        'An inline policy belongs to one role. A managed policy could be attached to other roles.',
    });
    return role;
  }
}
