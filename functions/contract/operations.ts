import { getApplication } from './get-application.ts';
import type { Operation } from './operation.ts';
import { updateJobStatus } from './update-job-status.ts';

/**
 * The operations of the service, each under the name of its entry file in `functions/`. To add one,
 * write its contract and its entry and name both here: routes, bundles and documents follow.
 */
export const operations = {
  'get-application': getApplication,
  'update-job-status': updateJobStatus,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The names of the operations, in the order above. */
export const operationNames: readonly OperationName[] = Object.keys(operations).filter(isName);

function isName(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
