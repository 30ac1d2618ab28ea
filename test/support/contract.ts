import { expect } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import type { ProblemCode } from '../../functions/contract/problem.ts';
import { updateJobStatus } from '../../functions/contract/update-job-status.ts';
import { checkResponse } from '../../infra/openapi/check-response.ts';
import { problemExample } from '../../infra/openapi/problems.ts';
import type { Result, TestRequest } from './invoke.ts';

/** The ids of the items of `items.ts`, by the path parameters that name them. */
const ids: Readonly<Record<string, string>> = { id: 'j-1', candidate_id: 'c-1' };

/** A request that an operation accepts; it succeeds if its items are stored. */
export function validRequest({ parameters, body }: Operation): TestRequest {
  const names = Object.keys(parameters.properties);
  const unknown = names.filter((name) => !Object.hasOwn(ids, name));
  if (unknown.length > 0) throw new Error(`There is no id of an item for ${unknown}.`);
  return {
    pathParameters: Object.fromEntries(names.map((name) => [name, ids[name] ?? ''])),
    ...(body && { headers: { 'content-type': 'application/json' }, body: body.example }),
  };
}

/**
 * Returns a response if it matches the contract.
 * @throws Error that names the part of the response that the contract does not document.
 */
export function conforming(operation: Operation, response: Result): Result {
  const found = checkResponse(operation, response);
  if (found.length > 0) throw new Error(`The contract has another response: ${found.join('; ')}.`);
  return response;
}

/** The problems whose `detail` has several texts or parameters. */
const VARIABLE = ['invalid_token', 'insufficient_scope', 'transition_refused', 'unavailable'];

/**
 * Returns the expected body of a problem for the request `request-1`, including the service's extensions of RFC 9457.
 * If the problem has several details, any detail matches unless `members` has one.
 */
export function problemBody(code: ProblemCode, members: Readonly<Record<string, unknown>> = {}) {
  const { type, title, status, detail } = problemExample(code, updateJobStatus).value;
  const text = VARIABLE.includes(code) ? expect.any(String) : detail;
  return { type, title, status, detail: text, code, request_id: 'request-1', ...members };
}
