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
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { candidateIndex, keyAttributes } from '../../functions/store/keys.ts';
import { grantDecrypt, type StorageProps } from './encryption.ts';
import { dataRemovalPolicyOf } from './stages/stage.ts';

interface RecruitmentTableProps extends StorageProps {
  /**
   * The ARN of a restored table's stream. The service then uses the restored table instead of the stack's own table.
   */
  restoredTableStream: string | undefined;
}

/**
 * The service's only table. The table has on-demand capacity, and can be restored to any second of the last 35 days.
 */
export class RecruitmentTable extends Construct {
  /** The table that the service uses: the stack's own table or a restored table. */
  readonly table: Table | ITable;
  readonly streamArn: string;
  /**
   * The tables that the functions may access: the stack's own table and, if there is one, the restored table. During
   * the deployment that switches to a restored table, old function versions use the stack's own table, and all versions
   * of a function share one role.
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

  /** Allows one DynamoDB action, such as `GetItem`, on the table. The grantee may not use the index. */
  grantAction(grantee: IGrantable, action: string): void {
    const tables = this.#accessible.map(({ tableArn }) => tableArn);
    this.allow(grantee, [action], tables);
  }

  /**
   * Allows the actions that a reader of the table's stream needs. AWS's examples for pipes also allow ListStreams on
   * the stream's ARN. That permission has no effect, because ListStreams accepts only `*` as the resource (Service
   * Authorization Reference, "Actions defined by Amazon DynamoDB").
   */
  grantStreamRead(grantee: IGrantable): void {
    const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
    this.allow(grantee, actions, [this.streamArn]);
  }

  /**
   * Allows DynamoDB actions. If the table has a KMS key, also allows DynamoDB to decrypt the table's data key on behalf
   * of the grantee. The grantee needs no other permission for the key, even for writes and streams, because DynamoDB
   * creates and maintains the data key with its own grants (Amazon DynamoDB Developer Guide, "DynamoDB encryption at
   * rest usage notes").
   */
  private allow(grantee: IGrantable, names: string[], resourceArns: string[]): void {
    const actions = names.map((name) => `dynamodb:${name}`);
    Grant.addToPrincipal({ grantee, actions, resourceArns });
    if (this.#encryptionKey) grantDecrypt(grantee, this.#encryptionKey.keyArn, 'dynamodb');
  }

  private createTable({ stage, encryptionKey }: RecruitmentTableProps): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: keyAttributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: keyAttributes.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // An event contains the old and the new status, so a stream record needs the item before and after the write.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: keyAttributes.timeToLive,
      deletionProtection: stage.keepsData,
      removalPolicy: dataRemovalPolicyOf(stage),
    });
    // The index holds only keys. Personal data is therefore stored once, and changing it causes no write to the index.
    table.addGlobalSecondaryIndex({
      indexName: candidateIndex.name,
      partitionKey: { name: candidateIndex.partitionKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    Validations.of(table).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-DynamoDBInBackupPlan',
      reason:
        'Point-in-time recovery goes back 35 days. Older copies would keep the data of erased candidates.',
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
