import { Stack } from 'aws-cdk-lib';
import { Archive, EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import type { Stage } from '../../settings/stages.ts';
import type { RecruitmentTable } from '../table.ts';
import { DeadLetterQueue } from './dead-letter-queue.ts';
import { ChangePipe } from './pipe.ts';
import { WebhookExample } from './webhook-example.ts';

interface JobEventsProps {
  stage: Stage;
  encryptionKey: IKey;
  table: RecruitmentTable['table'];
  webhookUrl: string;
}

/**
 * The event `job.status_changed`: from the table's stream by a pipe to a bus of the deployment's own,
 * whose archive keeps the events to be replayed. No function is between.
 */
export class JobEvents extends Construct {
  readonly bus: EventBus;
  readonly archive: Archive;
  /** Where the pipe and the bus leave what they could not deliver; it should be empty. */
  readonly deadLetterQueue: Queue;
  /** The dimension `PipeName` of the metrics of `AWS/EventBridge/Pipes`. */
  readonly pipeName: string;
  /** The stream that the pipe reads. */
  readonly streamArn: string;

  constructor(scope: Construct, id: string, props: JobEventsProps) {
    super(scope, id);
    if (props.table.tableStreamArn === undefined) throw new Error('The table has no stream.');
    this.streamArn = props.table.tableStreamArn;
    allowEventBridge(this, props.encryptionKey);
    const deadLetters = new DeadLetterQueue(this, 'DeadLetters', props);
    this.deadLetterQueue = deadLetters.queue;
    // A stack's name is its own in an account and region, and so is that of its bus.
    const name = Stack.of(this).stackName;
    this.bus = this.busOf(name, props.encryptionKey);
    deadLetters.acceptFrom(this.bus.eventBusArn);
    this.archive = this.archiveOf(name, props);
    const { streamArn, bus, deadLetterQueue } = this;
    this.pipeName = new ChangePipe(this, 'Pipe', {
      ...props,
      streamArn,
      bus,
      deadLetterQueue,
    }).name;
    new WebhookExample(this, 'WebhookExample', { ...props, bus });
  }

  private busOf(eventBusName: string, kmsKey: IKey): EventBus {
    return new EventBus(this, 'Bus', {
      eventBusName,
      description: 'Recruitment service: changes of the status of jobs',
      kmsKey,
      deadLetterQueue: this.deadLetterQueue,
    });
  }

  private archiveOf(busName: string, { stage, encryptionKey }: JobEventsProps): Archive {
    const archive = new Archive(this, 'Archive', {
      archiveName: busName,
      description: 'Changes of the status of jobs, to be replayed',
      // By its name: the key's policy names the bus, and the bus needs the key.
      sourceEventBus: named(this, busName),
      eventPattern: {
        source: [jobStatusChanged.source],
        detailType: [jobStatusChanged.type],
      },
      retention: stage.eventRetention,
      kmsKey: encryptionKey,
    });
    archive.node.addDependency(this.bus);
    return archive;
  }
}

function named(scope: Construct, resourceName: string): IEventBus {
  const arn = Stack.of(scope).formatArn({ service: 'events', resource: 'event-bus', resourceName });
  return EventBus.fromEventBusArn(scope, 'NamedBus', arn);
}

/** EventBridge may use the key for the queues of this account; for bus and archive the CDK says so. */
function allowEventBridge(scope: Construct, encryptionKey: IKey): void {
  encryptionKey.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
}
