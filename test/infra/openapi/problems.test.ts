import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../functions/contract/operation.ts';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { updateJobStatus } from '../../../functions/contract/update-job-status.ts';
import { problems } from '../../../functions/http/problems.ts';
import { responseHeaders } from '../../../functions/http/response-headers.ts';
import type { Reply } from '../../../functions/runtime/invocation.ts';
import { exampleProblems } from '../../../infra/openapi/problems.ts';
import { answerTo, cases, exampleOf, misfit, parsed } from '../../support/openapi-document.ts';

const codes = Object.keys(problemTypes);
const event = { requestContext: { requestId: 'EXAMPLEreqId0123=' } };

/** What the service's own middlewares answer to a failure. */
function served(error: Error, operation: Operation = updateJobStatus): Reply {
  const request = { error, event, response: undefined as unknown as Reply };
  problems(operation).onError?.(request as never);
  responseHeaders().onError?.(request as never);
  return request.response;
}

describe('the problems of the OpenAPI document', () => {
  it('are every code of the table', () => {
    expect(new Set(cases.map(({ code }) => code))).toEqual(new Set(codes));
    expect(parsed.components.schemas.Problem.properties.code.examples).toEqual(codes);
  });

  it.each(cases)('have for $code of $name the body and the headers that are served', (one) => {
    const example = exampleOf(one.operation, one.code);
    const { headers, body } = served(exampleProblems(one.operation)[one.code], one.operation);
    expect(JSON.parse(body)).toEqual(example);
    const { 'Content-Type': mediaType, ...others } = headers;
    const answer = answerTo(one.operation, one.code);
    expect(Object.keys(answer.content)[0]).toBe(mediaType);
    expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(others).sort());
    for (const [name, value] of Object.entries(others)) {
      expect(misfit(parsed.components.headers[name].schema, value), name).toBe('');
    }
  });
});
