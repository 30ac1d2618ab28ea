import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import type { Stage } from '../../settings/stages.ts';
import { keptLog } from '../kept-log.ts';
import { changePatterns } from './change-pattern.ts';
import { changeTemplate } from './change-template.ts';

interface ChangePipeProps {
  stage: Stage;
  encryptionKey: IKey;
  /** The stream of the table. */
  streamArn: string;
  bus: EventBus;
  deadLetterQueue: IQueue;
}

/** As many as PutEvents takes. */
const BATCH = 10;
/** A stream keeps a record for a day: what is given up after six hours can be read for eighteen. */
const GIVE_UP_AFTER = Duration.hours(6);
const RETRIES = 20;

/** The EventBridge pipe that makes an event of each change of a job's status in the table's stream. */
export class ChangePipe extends Construct {
  /** The dimension `PipeName` of the metrics of `AWS/EventBridge/Pipes`. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: ChangePipeProps) {
    super(scope, id);
    const role = this.role(props);
    const pipe = new CfnPipe(this, 'Pipe', {
      description: 'Recruitment service: changes of the status of jobs',
      roleArn: role.roleArn,
      source: props.streamArn,
      sourceParameters: sourceParameters(props.deadLetterQueue),
      target: props.bus.eventBusArn,
      targetParameters: {
        eventBridgeEventBusParameters: {
          source: jobStatusChanged.source,
          detailType: jobStatusChanged.type,
        },
        inputTemplate: changeTemplate,
      },
      // Without execution data: what the stream holds is in no log.
      logConfiguration: {
        level: 'ERROR',
        cloudwatchLogsLogDestination: { logGroupArn: keptLog(this, 'Logs', props).logGroupArn },
      },
    });
    // EventBridge tries the role when it creates the pipe, so its policy must be there.
    pipe.node.addDependency(role);
    this.name = pipe.ref;
  }

  private role({ encryptionKey, streamArn, bus, deadLetterQueue }: ChangePipeProps): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    const allow = (resource: string, ...actions: string[]) =>
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
    allow(
      streamArn,
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    );
    allow(bus.eventBusArn, 'events:PutEvents');
    allow(deadLetterQueue.queueArn, 'sqs:SendMessage');
    allow(encryptionKey.keyArn, 'kms:Decrypt', 'kms:GenerateDataKey');
    Validations.of(role).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
      reason: 'The policy is of this role alone, where a managed one could be attached to others.',
    });
    return role;
  }
}

function sourceParameters(deadLetterQueue: IQueue): CfnPipe.PipeSourceParametersProperty {
  return {
    filterCriteria: {
      filters: changePatterns.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    },
    dynamoDbStreamParameters: {
      // A new pipe tells again what the last day held, rather than losing what it did not see.
      startingPosition: 'TRIM_HORIZON',
      batchSize: BATCH,
      maximumRetryAttempts: RETRIES,
      maximumRecordAgeInSeconds: GIVE_UP_AFTER.toSeconds(),
      onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
      deadLetterConfig: { arn: deadLetterQueue.queueArn },
    },
  };
}
