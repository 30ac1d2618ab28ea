import type { Operation } from '../../functions/contract/operation.ts';
import { checkResponse } from '../../infra/openapi/check-response.ts';
import type { Answer } from './invoke.ts';

/**
 * Gives an answer back if it is as the contract says.
 * @throws Error that says what the contract does not document.
 */
export function conforming(operation: Operation, answer: Answer): Answer {
  const found = checkResponse(operation, answer);
  if (found.length > 0) throw new Error(`The contract has another answer: ${found.join('; ')}.`);
  return answer;
}
