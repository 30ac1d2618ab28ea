import { Operation as TableAction } from 'aws-cdk-lib/aws-dynamodb';
import type { OperationName } from '../../functions/operations/operations.ts';

export interface Permissions {
  readonly tableAction: TableAction;
  /** Signs URLs of candidates' files. */
  readonly readsFiles: boolean;
}

/** Besides its own log group. Everything else that is deployed follows from the contract. */
export const permissions = {
  'get-application': { tableAction: TableAction.GET_ITEM, readsFiles: true },
  'update-job-status': { tableAction: TableAction.UPDATE_ITEM, readsFiles: false },
} as const satisfies Record<OperationName, Permissions>;
