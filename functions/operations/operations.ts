import type { Operation } from '../contract/operation.ts';
import { keysOf } from '../domain/own-value.ts';
import { getApplication } from './get-application/contract.ts';
import { updateJobStatus } from './update-job-status/contract.ts';

/** Keyed by the names of the entry files in `functions/`. CONTRIBUTING.md says how to add an operation. */
export const operations = {
  'get-application': getApplication,
  'update-job-status': updateJobStatus,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

export type OperationId = (typeof operations)[OperationName]['operationId'];

export const contracts: readonly Operation[] = Object.values(operations);

export const operationNames = keysOf(operations);
