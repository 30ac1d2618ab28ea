import { Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { attributes, candidateIndex } from '../../functions/store/keys.ts';
import { removalPolicyOf, type Stage } from '../settings/stages.ts';

interface RecruitmentTableProps {
  stage: Stage;
  encryptionKey: IKey;
  /** The stream of a table that was restored from a backup of this one, to be worked on instead. */
  restoredStreamArn: string | undefined;
}

/** The single table: on demand, restorable to any second of the last 35 days. */
export class RecruitmentTable extends Construct {
  /** The table that the service works on. */
  readonly table: Table | ITable;
  /**
   * The tables that functions may use: where one was restored, the stack's own too. A role has no
   * versions, and versions that still work on the other table serve requests while they are replaced.
   */
  readonly usable: readonly (Table | ITable)[];

  constructor(scope: Construct, id: string, props: RecruitmentTableProps) {
    super(scope, id);
    const { encryptionKey, restoredStreamArn: tableStreamArn } = props;
    const own = this.ownTable(props);
    this.table =
      tableStreamArn === undefined
        ? own
        : Table.fromTableAttributes(this, 'Restored', {
            tableArn: tableStreamArn.replace(/\/stream\/.*$/, ''),
            tableStreamArn,
            encryptionKey,
          });
    this.usable = [...new Set([own, this.table])];
  }

  private ownTable({ stage, encryptionKey }: RecruitmentTableProps): Table {
    const table = new Table(this, 'Table', {
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
    table.addGlobalSecondaryIndex({
      indexName: candidateIndex.name,
      partitionKey: { name: candidateIndex.partitionKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    Validations.of(table).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-DynamoDBInBackupPlan',
      reason:
        'Point-in-time recovery goes back 35 days; older copies would keep erased candidates.',
    });
    return table;
  }
}
