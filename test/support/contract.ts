import { expect } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../functions/contract/problem.ts';
import { checkResponse } from '../../infra/openapi/check-response.ts';
import type { Answer, TestRequest } from './invoke.ts';

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
 * Gives an answer back if it is as the contract says.
 * @throws Error that says what the contract does not document.
 */
export function conforming(operation: Operation, answer: Answer): Answer {
  const found = checkResponse(operation, answer);
  if (found.length > 0) throw new Error(`The contract has another answer: ${found.join('; ')}.`);
  return answer;
}

/**
 * The whole body of a problem of the request `request-1`: RFC 9457 and the service's extensions. Any
 * detail will do for a problem that has several, unless `members` gives one.
 */
export function problemBody(code: ProblemCode, members: Readonly<Record<string, unknown>> = {}) {
  const { status, title, detail } = problemTypes[code];
  return {
    type: `urn:problem-type:recruitment:${code}`,
    title,
    status,
    detail: typeof detail === 'string' ? detail : expect.any(String),
    code,
    request_id: 'request-1',
    ...members,
  };
}
