import { namesOf } from '../domain/record.ts';
import { getApplication } from './get-application.ts';
import type { Operation } from './operation.ts';
import { updateJobStatus } from './update-job-status.ts';

/**
 * The operations of the service, each under the name of its entry file in `functions/`. Routes, bundles
 * and documents follow from them; CONTRIBUTING.md says how to add one.
 */
export const operations = {
  'get-application': getApplication,
  'update-job-status': updateJobStatus,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

export const operationNames = namesOf(operations);
