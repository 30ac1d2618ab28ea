import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import type { Assumptions } from './assumptions.ts';
import { billOf, dollars } from './bill.ts';
import { type Durations, durationsOf } from './durations.ts';
import type { Measurements } from './measurements.ts';
import { checkSize, type SizeCheck } from './memory-rule.ts';

/** What a memory size means for one function. */
export interface FunctionAtSize extends Durations {
  /** What Lambda takes for a million requests, in US dollars. */
  lambdaPerMillion: number;
}

/** What a memory size means. */
export interface AtSize extends SizeCheck {
  functions: Record<OperationName, FunctionAtSize>;
}

/** What a memory size, in MB, means for durations and cost, without environments kept ready. */
export function atSize(memoryMb: number, measurements: Measurements, assumed: Assumptions): AtSize {
  const assumptions = { ...assumed, provisioned: 0 };
  const of = (name: OperationName): FunctionAtSize => ({
    ...durationsOf(measurements.functions[name], memoryMb, assumptions),
    lambdaPerMillion: lambdaPerMillion(name, memoryMb, measurements, assumptions),
  });
  return {
    ...checkSize(memoryMb, measurements, assumptions),
    functions: {
      'get-application': of('get-application'),
      'update-job-status': of('update-job-status'),
    },
  };
}

function lambdaPerMillion(
  operation: OperationName,
  memoryMb: number,
  measurements: Measurements,
  assumptions: Assumptions,
): number {
  const requests = { 'get-application': 0, 'update-job-status': 0, [operation]: 1e6 };
  const { lines } = billOf({ requests, memoryMb, assumptions }, measurements);
  const ofLambda = lines.filter(
    ({ name }) => name === 'lambdaRequests' || name === 'lambdaDuration',
  );
  return dollars(ofLambda.reduce((total, { cost }) => total + cost, 0));
}

/** The mean over the functions of a month's requests, or of one each where there are none. */
export function weighted(
  requests: Readonly<Record<OperationName, number>>,
  value: (name: OperationName) => number,
): number {
  const total = operationNames.reduce((sum, name) => sum + requests[name], 0);
  const weight = (name: OperationName) =>
    total === 0 ? 1 / operationNames.length : requests[name] / total;
  return operationNames.reduce((sum, name) => sum + weight(name) * value(name), 0);
}
