import { Validations } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  Operation,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { OperationName } from '../../functions/contract/operations.ts';
import { attributes, candidateIndex } from '../../functions/store/keys.ts';
import { dataRemovalPolicyOf } from '../settings/stages.ts';
import { grantDecrypt, type StorageProps } from './encryption.ts';

/** The one operation of DynamoDB that the function of each operation may use. */
export const tableOperations = {
  'get-application': Operation.GET_ITEM,
  'update-job-status': Operation.UPDATE_ITEM,
} as const satisfies Record<OperationName, Operation>;

interface RecruitmentTableProps extends StorageProps {
  /** The stream of a table that was restored from a backup, to be used instead of the stack's own. */
  restoredTableStream: string | undefined;
}

/** The single table: on demand, restorable to any second of the last 35 days. */
export class RecruitmentTable extends Construct {
  /** The table that the service uses. */
  readonly table: Table | ITable;
  readonly streamArn: string;
  /**
   * The tables that functions may access: the stack's own too if another was restored, because a role
   * has no versions, and versions that still use the own table serve requests until they are replaced.
   */
  readonly #accessible: readonly (Table | ITable)[];
  readonly #encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, props: RecruitmentTableProps) {
    super(scope, id);
    const { encryptionKey, restoredTableStream } = props;
    this.#encryptionKey = encryptionKey;
    const own = this.createTable(props);
    this.table = restoredTableStream === undefined ? own : this.restored(restoredTableStream);
    this.#accessible = [...new Set([own, this.table])];
    if (this.table.tableStreamArn === undefined) throw new Error('The table has no stream.');
    this.streamArn = this.table.tableStreamArn;
  }

  /** Allows one operation of DynamoDB, such as `GetItem`, on the table, and not on its index. */
  grantOperation(grantee: IGrantable, operation: string): void {
    const tables = this.#accessible.map(({ tableArn }) => tableArn);
    this.allow(grantee, [operation], tables);
  }

  /**
   * Allows what a reader of the table's stream needs. AWS's examples for pipes add ListStreams, which has no effect on
   * the ARN of a stream: it takes only `*` (Service Authorization Reference, "Actions defined by Amazon DynamoDB").
   */
  grantStreamRead(grantee: IGrantable): void {
    const operations = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
    this.allow(grantee, operations, [this.streamArn]);
  }

  /**
   * Allows operations of DynamoDB, and that it decrypts the table's key on behalf of the grantee. That is all
   * that DynamoDB asks of KMS on behalf of its caller, for writes and streams too: it creates and maintains the
   * table's key with grants of its own (Amazon DynamoDB Developer Guide, "DynamoDB encryption at rest usage
   * notes").
   */
  private allow(grantee: IGrantable, operations: string[], resourceArns: string[]): void {
    const actions = operations.map((operation) => `dynamodb:${operation}`);
    Grant.addToPrincipal({ grantee, actions, resourceArns });
    if (this.#encryptionKey) grantDecrypt(grantee, this.#encryptionKey.keyArn, 'dynamodb');
  }

  private createTable({ stage, encryptionKey }: RecruitmentTableProps): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Both images, so that an event can say what a status was and what it is.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: attributes.timeToLive,
      deletionProtection: stage.keepsData,
      removalPolicy: dataRemovalPolicyOf(stage),
    });
    // Keys alone: the personal data is stored once, and changing it does not write to the index.
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

  private restored(tableStreamArn: string): ITable {
    return Table.fromTableAttributes(this, 'Restored', {
      tableArn: tableStreamArn.replace(/\/stream\/.*$/, ''),
      tableStreamArn,
      ...(this.#encryptionKey && { encryptionKey: this.#encryptionKey }),
    });
  }
}
