import { Operation as TableAction } from 'aws-cdk-lib/aws-dynamodb';
import type { OperationName } from '../../functions/operations/operations.ts';

/** The permissions of an operation's function, besides its log group. */
export interface Permissions {
  /** The one DynamoDB action that the function may use. */
  readonly tableAction: TableAction;
  /** Whether the function signs URLs of candidates' files in S3. */
  readonly readsFiles: boolean;
}

/** The permissions of each operation's function. Everything else that is deployed follows from the contract. */
export const permissions = {
  'get-application': { tableAction: TableAction.GET_ITEM, readsFiles: true },
  'update-job-status': { tableAction: TableAction.UPDATE_ITEM, readsFiles: false },
} as const satisfies Record<OperationName, Permissions>;
