import { CfnResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobStatusChanged } from '../../../functions/contract/job-status-changed.ts';
import type { StorageProps } from '../encryption.ts';
import type { RecruitmentTable } from '../recruitment-table.ts';
import { removalPolicyOf } from '../stages/stage.ts';
import { ChangePipe } from './pipe.ts';

interface JobEventsProps extends StorageProps {
  table: RecruitmentTable;
}

export class JobEvents extends Construct {
  readonly bus: EventBus;
  readonly archive: Archive | undefined;
  readonly deadLetterQueue: Queue;
  readonly pipe: ChangePipe;

  constructor(scope: Construct, id: string, props: JobEventsProps) {
    super(scope, id);
    this.deadLetterQueue = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // SQS's maximum.
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
      // Must be unique in account and region, as the stack's name is.
      eventBusName: Stack.of(this).stackName,
      description: 'Recruitment service: status changes of jobs',
    });
    // The same policy as the archive's, because a bus with an archive cannot be deleted.
    bus.applyRemovalPolicy(removalPolicyOf(stage));
    return bus;
  }

  private createArchive({ stage }: JobEventsProps): Archive | undefined {
    if (stage.eventRetention === undefined) return undefined;
    const archive = new Archive(this, 'Archive', {
      archiveName: Stack.of(this).stackName,
      description: 'Status changes of jobs, for replays',
      sourceEventBus: this.bus,
      eventPattern: {
        source: [jobStatusChanged.source],
        detailType: [jobStatusChanged.type],
      },
      retention: stage.eventRetention,
    });
    archive.applyRemovalPolicy(removalPolicyOf(stage));
    // Without a key, the CDK writes an empty string, which CloudFormation may reject (aws/aws-cdk, issue 37847).
    const resource = archive.node.defaultChild;
    if (CfnResource.isCfnResource(resource))
      resource.addPropertyDeletionOverride('KmsKeyIdentifier');
    return archive;
  }
}
