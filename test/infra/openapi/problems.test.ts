import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../functions/contract/operation.ts';
import { Problem, type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { updateJobStatus } from '../../../functions/contract/update-job-status.ts';
import { problems } from '../../../functions/http/problems.ts';
import { responseHeaders } from '../../../functions/http/response-headers.ts';
import type { Reply } from '../../../functions/runtime/invocation.ts';
import {
  answersOf,
  answerTo,
  cases,
  contracts,
  exampleOf,
  misfit,
  parsed,
} from '../../support/openapi-document.ts';

const codes = Object.keys(problemTypes);
const event = { requestContext: { requestId: 'EXAMPLEreqId0123=' } };

/** What the service's own middlewares answer to a failure. */
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
  it.each(contracts)('are, for $operationId, those of its contract, beside 200 and 429', (one) => {
    const answers = answersOf(one);
    const statuses = one.problems.map((code) => String(problemTypes[code].status));
    expect(Object.keys(answers).sort()).toEqual([...new Set(['200', '429', ...statuses])].sort());
    const named = Object.values(answers).flatMap(({ content }) =>
      Object.values(content['application/problem+json']?.examples ?? {}).map(
        ({ value }) => value.code,
      ),
    );
    expect(new Set(named)).toEqual(new Set(one.problems));
  });

  it.each(contracts)('let $operationId refuse a caller and fail, as any operation may', (one) => {
    const common = Object.entries(problemTypes)
      .filter(([, { status }]) => [401, 403, 500, 503].includes(status))
      .map(([code]) => code);
    expect(one.problems).toEqual(expect.arrayContaining(common));
  });

  it('are every code of the table', () => {
    expect(new Set(cases.map(({ code }) => code))).toEqual(new Set(codes));
    expect(parsed.components.schemas.Problem.properties.code.examples).toEqual(codes);
  });

  it.each(cases)('have for $code of $name the body and the headers that are served', (one) => {
    const example = exampleOf(one.operation, one.code);
    const { headers, body } = served(problemOf(one.code, example), one.operation);
    expect(JSON.parse(body)).toEqual(example);
    const { 'Content-Type': mediaType, ...others } = headers;
    const answer = answerTo(one.operation, one.code);
    expect(Object.keys(answer.content)[0]).toBe(mediaType);
    expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(others).sort());
    for (const [name, value] of Object.entries(others)) {
      expect(misfit(parsed.components.headers[name].schema, value), name).toBe('');
    }
  });

  it('name the scope that the operation needs', () => {
    for (const operation of contracts) {
      const { detail } = exampleOf(operation, 'insufficient_scope');
      expect(detail).toContain(operation.scope);
    }
  });
});

describe('the other answers of the OpenAPI document', () => {
  it.each(contracts)('of $operationId may also be those of the gateway', (one) => {
    const both = { $ref: '#/components/schemas/ProblemOrGatewayMessage' };
    for (const [status, { content }] of Object.entries(answersOf(one))) {
      const isOfGatewayToo = ['400', '404', '413', '500', '503'].includes(status);
      const schemas = Object.entries(content).map(([type, { schema }]) => [type, schema]);
      if (isOfGatewayToo) {
        expect(schemas).toEqual([
          ['application/problem+json', both],
          ['application/json', both],
        ]);
      } else {
        expect(schemas).toHaveLength(1);
        expect(schemas).not.toContainEqual([expect.anything(), both]);
      }
    }
  });

  it.each(contracts)('carry, if $operationId succeeds, the headers that are served', (one) => {
    const request = { event, response: { headers: {} } };
    responseHeaders().after?.(request as never);
    const expected = { ...request.response.headers, ...one.response.headers };
    expect(Object.keys(answersOf(one)[200]?.headers ?? {}).sort()).toEqual(
      Object.keys(expected).sort(),
    );
  });
});
