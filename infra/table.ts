import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { attributes } from '../functions/store/keys.ts';

/** The single table: on demand, restorable to any second of the last 35 days, safe from deletion. */
export class RecruitmentTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: attributes.partitionKey, type: AttributeType.STRING },
      sortKey: { name: attributes.sortKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Both images, so that an event can say what a status was and what it is.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: attributes.timeToLive,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }
}
