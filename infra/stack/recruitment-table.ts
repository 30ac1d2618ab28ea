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
import { grantKey, type StorageProps } from './encryption.ts';
import { dataRemovalPolicyOf } from './stages/stage.ts';

interface RecruitmentTableProps extends StorageProps {
  restoredTableStream: string | undefined;
}

/** All other actions get only the reader's rights to the key. */
const WRITES = /^(?:Put|Update|Delete|BatchWrite)/;

export class RecruitmentTable extends Construct {
  readonly table: Table | ITable;
  readonly streamArn: string;
  /**
   * Two tables after a restore: while a deployment switches tables, old function versions still use the stack's own,
   * and all versions share one role.
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

  /** Allows an action such as `GetItem` on the table, but not on its index. */
  grantAction(grantee: IGrantable, action: string): void {
    const tables = this.#accessible.map(({ tableArn }) => tableArn);
    this.allow(grantee, [action], tables);
  }

  /**
   * Leaves out ListStreams, which AWS's examples allow too, because it accepts only the resource `*` (Service
   * Authorization Reference, "Actions defined by Amazon DynamoDB").
   */
  grantStreamRead(grantee: IGrantable): void {
    const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
    this.allow(grantee, actions, [this.streamArn]);
  }

  private allow(grantee: IGrantable, names: string[], resourceArns: string[]): void {
    const actions = names.map((name) => `dynamodb:${name}`);
    Grant.addToPrincipal({ grantee, actions, resourceArns });
    const key = this.#encryptionKey;
    const isWriter = names.some((name) => WRITES.test(name));
    if (key) grantKey(grantee, key.keyArn, { service: 'dynamodb', isWriter });
  }

  private createTable({ stage, encryptionKey }: RecruitmentTableProps): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: keyAttributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: keyAttributes.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Events name the old and the new status.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: keyAttributes.timeToLive,
      deletionProtection: stage.keepsData,
      removalPolicy: dataRemovalPolicyOf(stage),
    });
    // Only keys: personal data is stored once, and changing it does not write to the index.
    table.addGlobalSecondaryIndex({
      indexName: candidateIndex.name,
      partitionKey: { name: candidateIndex.partitionKey, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
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
