import { Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { attributes, candidateIndex } from '../functions/store/keys.ts';
import { removalPolicyOf, type Stage } from './stages.ts';

interface RecruitmentTableProps {
  stage: Stage;
  encryptionKey: IKey;
}

/** The single table: on demand, restorable to any second of the last 35 days. */
export class RecruitmentTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, { stage, encryptionKey }: RecruitmentTableProps) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Both images, so that an event can say what a status was and what it is.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: attributes.timeToLive,
      deletionProtection: stage.keepsData,
      removalPolicy: removalPolicyOf(stage),
    });
    // Keys alone: the personal data is stored once, and a change of it is not a write to the index.
    this.table.addGlobalSecondaryIndex({
      indexName: candidateIndex.name,
      partitionKey: { name: candidateIndex.partitionKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    Validations.of(this.table).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-DynamoDBInBackupPlan',
      reason:
        'Point-in-time recovery goes back 35 days; older copies would keep erased candidates.',
    });
  }
}
