import { Duration, Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import type { StorageProps } from '../encryption.ts';
import { EncryptedLogGroup } from '../log-group.ts';
import type { RecruitmentTable } from '../recruitment-table.ts';
import { changePattern, changeTemplate } from './transformation.ts';

interface ChangePipeProps extends StorageProps {
  table: RecruitmentTable;
  bus: EventBus;
  deadLetterQueue: IQueue;
}

/** EventBridge's maximum for one PutEvents call. */
const BATCH_SIZE = 10;
/** Stream records live for 24 hours, which leaves an operator 18 to read one that the pipe gave up on. */
const GIVE_UP_AFTER = Duration.hours(6);
const RETRIES = 20;

export class ChangePipe extends Construct {
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
          // From the oldest record on: a new pipe may repeat a day's events, but does not miss any.
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
      // Without `includeExecutionData`, which would copy the stream into the log.
      logConfiguration: { level: 'ERROR', cloudwatchLogsLogDestination: { logGroupArn } },
    });
    // EventBridge tests the role when it creates the pipe, so the role's policy and the stream must exist.
    pipe.node.addDependency(role, props.table);
    this.pipeName = pipe.ref;
  }

  private createRole({ table, bus, deadLetterQueue }: ChangePipeProps): Role {
    const { account, partition, region } = Stack.of(this);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          // Allows any pipe: the role is created before the pipe has a name.
          ArnLike: { 'aws:SourceArn': `arn:${partition}:pipes:${region}:${account}:pipe/*` },
        },
      }),
    });
    table.grantStreamRead(role);
    bus.grantPutEventsTo(role);
    const resourceArns = [deadLetterQueue.queueArn];
    Grant.addToPrincipal({ grantee: role, actions: ['sqs:SendMessage'], resourceArns });
    return role;
  }
}
