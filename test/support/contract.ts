import { expect } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import { pathIdentifiers } from '../../functions/contract/path-parameters.ts';
import type { ProblemCode } from '../../functions/contract/problem.ts';
import { updateJobStatus } from '../../functions/operations/update-job-status/contract.ts';
import { checkResponse } from '../../infra/documents/check-response.ts';
import { problemExample } from '../../infra/documents/problems.ts';
import type { Result, TestRequest } from './invoke.ts';

const ids: Readonly<Record<string, string>> = { job_id: 'j-1', candidate_id: 'c-1' };

/** Replaces the `id` of a body that has one, because an item can be created only once. */
const exampleOf = ({ example, schema }: NonNullable<Operation['body']>, id: string) => ({
  ...example,
  ...(schema.properties.id !== undefined && { id }),
});

/** Succeeds if the items of `items.ts` are stored. */
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

export function conforming(operation: Operation, response: Result): Result {
  const found = checkResponse(operation, response);
  if (found.length > 0) throw new Error(`The response breaks the contract: ${found.join('; ')}.`);
  return response;
}

/** Problems whose `detail` varies. */
const VARIABLE = ['invalid_token', 'insufficient_scope', 'transition_refused', 'unavailable'];

/** Expects the request id `request-1` and, for codes in `VARIABLE`, any `detail` unless `members` has one. */
export function problemBody(code: ProblemCode, members: Readonly<Record<string, unknown>> = {}) {
  const { type, title, status, detail } = problemExample(code, updateJobStatus).value;
  const text = VARIABLE.includes(code) ? expect.any(String) : detail;
  return { type, title, status, detail: text, code, request_id: 'request-1', ...members };
}
