import { CfnResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import { removalPolicyOf } from '../../settings/stages.ts';
import type { StorageProps } from '../encryption.ts';
import type { RecruitmentTable } from '../table.ts';
import { ChangePipe } from './pipe.ts';

interface JobEventsProps extends StorageProps {
  table: RecruitmentTable;
}

/**
 * The event `job.status_changed`: an EventBridge pipe puts it from the table's stream on an event bus,
 * without a function, and an archive keeps it for replays.
 */
export class JobEvents extends Construct {
  readonly bus: EventBus;
  readonly archive: Archive | undefined;
  /** Holds the records from which the pipe could not make an event; it should be empty. */
  readonly deadLetterQueue: Queue;
  readonly pipe: ChangePipe;

  constructor(scope: Construct, id: string, props: JobEventsProps) {
    super(scope, id);
    this.deadLetterQueue = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // The longest that SQS keeps a message.
      retentionPeriod: Duration.days(14),
      removalPolicy: removalPolicyOf(props.stage),
    });
    const reason = 'The queue is itself a dead-letter queue.';
    Validations.of(this.deadLetterQueue).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-SQS3', reason },
      { id: 'Serverless::Serverless-SQSRedrivePolicy', reason },
    );
    this.bus = this.createBus(props);
    this.archive = this.createArchive(props);
    const { bus, deadLetterQueue } = this;
    this.pipe = new ChangePipe(this, 'Pipe', { ...props, bus, deadLetterQueue });
  }

  private createBus({ stage }: JobEventsProps): EventBus {
    const bus = new EventBus(this, 'Bus', {
      // Unique in an account and region, as the name of its stack is.
      eventBusName: Stack.of(this).stackName,
      description: 'Recruitment service: changes of the status of jobs',
    });
    // A bus cannot be deleted while it has an archive.
    bus.applyRemovalPolicy(removalPolicyOf(stage));
    return bus;
  }

  private createArchive({ stage }: JobEventsProps): Archive | undefined {
    if (stage.eventRetention === undefined) return undefined;
    const archive = new Archive(this, 'Archive', {
      archiveName: Stack.of(this).stackName,
      description: 'Changes of the status of jobs, for replays',
      sourceEventBus: this.bus,
      eventPattern: {
        source: [jobStatusChanged.source],
        detailType: [jobStatusChanged.type],
      },
      retention: stage.eventRetention,
    });
    archive.applyRemovalPolicy(removalPolicyOf(stage));
    // The CDK writes an empty text, which CloudFormation may refuse (aws/aws-cdk, issue 37847).
    const resource = archive.node.defaultChild;
    if (CfnResource.isCfnResource(resource))
      resource.addPropertyDeletionOverride('KmsKeyIdentifier');
    return archive;
  }
}
