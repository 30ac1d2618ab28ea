import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../functions/contract/operation.ts';
import { Problem, type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { updateJobStatus } from '../../../functions/contract/update-job-status.ts';
import { problems } from '../../../functions/http/problems.ts';
import { responseHeaders } from '../../../functions/http/response-headers.ts';
import type { Reply } from '../../../functions/runtime/invocation.ts';
import { cases, exampleOf, misfit, parsed, responseTo } from '../../support/openapi-document.ts';

const codes = Object.keys(problemTypes);
const event = { requestContext: { requestId: 'EXAMPLEreqId0123=' } };

/** How the service's own middlewares respond to a failure. */
function served(error: Error, operation: Operation = updateJobStatus): Reply {
  const request = { error, event, response: undefined as unknown as Reply };
  problems(operation).onError?.(request as never);
  responseHeaders().onError?.(request as never);
  return request.response;
}

/** The problem that an example shows, with what problems of its status come with. */
function problemOf(code: ProblemCode, { detail, ...others }: Record<string, unknown>): Problem {
  const { status, detail: details } = problemTypes[code];
  const named = typeof details === 'object' ? Object.entries(details) : [];
  const [key] = named.find(([, text]) => String(detail).startsWith(text)) ?? [String(detail)];
  const { type, title, status: _, code: __, request_id, ...extensions } = others;
  return new Problem(code as 'internal', {
    detail: key,
    extensions,
    ...((status === 401 || status === 403) && { challenge: 'Bearer realm="recruitment"' }),
    ...(status === 412 && { version: 4 }),
  });
}

describe('the problems of the OpenAPI document', () => {
  it('are every code of the table', () => {
    expect(new Set(cases.map(({ code }) => code))).toEqual(new Set(codes));
    expect(parsed.components.schemas.Problem.properties.code.examples).toEqual(codes);
  });

  it.each(cases)('have for $code of $name the body and the headers that are served', (one) => {
    const example = exampleOf(one.operation, one.code);
    const { headers, body } = served(problemOf(one.code, example), one.operation);
    expect(JSON.parse(body)).toEqual(example);
    const { 'Content-Type': mediaType, ...others } = headers;
    const response = responseTo(one.operation, one.code);
    expect(Object.keys(response.content)[0]).toBe(mediaType);
    expect(Object.keys(response.headers).sort()).toEqual(Object.keys(others).sort());
    for (const [name, value] of Object.entries(others)) {
      expect(misfit(parsed.components.headers[name].schema, value), name).toBe('');
    }
  });
});
