import { expect } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import { pathIdentifiers } from '../../functions/contract/path-parameters.ts';
import type { ProblemCode } from '../../functions/contract/problem.ts';
import { updateJobStatus } from '../../functions/operations/update-job-status/contract.ts';
import { checkResponse } from '../../infra/openapi/check-response.ts';
import { problemExample } from '../../infra/openapi/problems.ts';
import type { Result, TestRequest } from './invoke.ts';

/** Ids of the items in `items.ts`. */
const ids: Readonly<Record<string, string>> = { job_id: 'j-1', candidate_id: 'c-1' };

/** An operation that creates an item gets a new id, so that it can be sent again. */
const exampleOf = ({ example, schema }: NonNullable<Operation['body']>, id: string) => ({
  ...example,
  ...(schema.properties.id !== undefined && { id }),
});

/** Gives a request that succeeds if the items of `items.ts` are stored. Other ids are the examples of their schemas. */
export function validRequest({ parameters, body }: Operation): TestRequest {
  return {
    pathParameters: Object.fromEntries(
      Object.entries(parameters).map(([name, identifier]) => [
        name,
        ids[identifier] ?? pathIdentifiers[identifier].examples[0],
      ]),
    ),
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: exampleOf(body, crypto.randomUUID()),
    }),
  };
}

/** Names the job in the path, or as the `id` of the body. */
export function requestAbout(job: string, operation: Operation): TestRequest {
  const { pathParameters = {}, body, ...request } = validRequest(operation);
  const inPath = Object.entries(operation.parameters).map(([name, identifier]) => [
    name,
    identifier === 'job_id' ? job : pathParameters[name],
  ]);
  return {
    ...request,
    pathParameters: Object.fromEntries(inPath),
    ...(operation.body && { body: exampleOf(operation.body, job) }),
  };
}

/** @throws Error that names what the contract does not document. */
export function conforming(operation: Operation, response: Result): Result {
  const found = checkResponse(operation, response);
  if (found.length > 0) throw new Error(`The contract has another response: ${found.join('; ')}.`);
  return response;
}

/** Problems whose `detail` has several texts or parameters. */
const VARIABLE = ['invalid_token', 'insufficient_scope', 'transition_refused', 'unavailable'];

/** What a client gets for the request id `request-1`. Where the detail varies, any matches unless `members` has one. */
export function problemBody(code: ProblemCode, members: Readonly<Record<string, unknown>> = {}) {
  const { type, title, status, detail } = problemExample(code, updateJobStatus).value;
  const text = VARIABLE.includes(code) ? expect.any(String) : detail;
  return { type, title, status, detail: text, code, request_id: 'request-1', ...members };
}
