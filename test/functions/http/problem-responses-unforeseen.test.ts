import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { problemResponses } from '../../../functions/http/problem-responses.ts';
import { operations } from '../../../functions/operations/operations.ts';
import { updateJobStatus } from '../../../functions/operations/update-job-status/contract.ts';
import type { FunctionResponse, Invocation } from '../../../functions/platform/invocation.ts';
import { problemBody } from '../../support/contract.ts';
import { type Handler, invoke } from '../../support/invoke.ts';

const MARK = 'echo-me';

describe('an unforeseen error', () => {
  const internal = problemBody('internal');
  const afterThrowing = (thrown: unknown) => {
    const handler = middy<Invocation, FunctionResponse>()
      .use(problemResponses(updateJobStatus))
      .handler(() => {
        throw thrown;
      });
    return invoke(handler as unknown as Handler, operations['get-application'], {});
  };

  it.each<[string, unknown]>([
    ['an error that claims a status', Object.assign(new Error(MARK), { statusCode: 418 })],
    ['an error with null for a cause', new Error(MARK, { cause: null })],
    [
      'an error of another middleware with a list',
      new Error(MARK, { cause: { package: '@middy/other', data: [{ instancePath: MARK }] } }),
    ],
    [
      'an error of the validator without a list',
      new Error(MARK, { cause: { package: '@middy/validator', data: MARK } }),
    ],
    ['null', null],
  ])('becomes a 500 without details if it is %s', async (_, thrown) => {
    const response = await afterThrowing(thrown);
    expect(response.status).toBe(500);
    expect(response.body).toEqual(internal);
    expect(response.headers).toEqual({ 'Content-Type': 'application/problem+json' });
  });

  it('is named by its pointer at any depth', async () => {
    const data = [{ instancePath: '/body/range/from', keyword: 'custom', params: {} }];
    const response = await afterThrowing(
      new Error(MARK, { cause: { package: '@middy/validator', data } }),
    );
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ pointer: '/range/from', message: 'is not valid' }]);
  });
});
