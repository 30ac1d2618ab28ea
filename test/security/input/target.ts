import { ok } from 'node:assert';
import fc from 'fast-check';
import { expect } from 'vitest';
import { tokenFaults } from '../../../functions/contract/problem.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { type OperationName, operations } from '../../../functions/operations/operations.ts';
import { validRequest } from '../../support/contract.ts';
import type { Result, TestRequest } from '../../support/invoke.ts';
import { nowInSeconds } from '../../support/issuer.ts';
import { type Service, startService } from '../../support/service.ts';
import { scaled, seed } from '../random-cases.ts';

const DAY_S = 86_400;

interface Target extends Service {
  token: string;
  /** All different responses so far, without their ETags. */
  responses: Set<string>;
  /** @throws Error if the response or the log line violates the contract, or a prototype has changed. */
  attack(operation: OperationName, request: TestRequest): Promise<Result>;
}

export async function startTarget(): Promise<Target> {
  const service = await startService();
  const token = await service.issuer.mint({ exp: nowInSeconds() + DAY_S });
  const responses = new Set<string>();
  const attack: Target['attack'] = async (operation, request) => {
    const ids = { requestId: 'request-1', invocationId: 'invocation-1' };
    const sent = { ...validRequest(operations[operation]), token, ...ids, ...request };
    const response = await service[operations[operation].operationId](sent);
    const { ETag: _, ...headers } = response.headers;
    responses.add(JSON.stringify([response.status, headers, response.text]));
    ok(response.status < 500, response.text);
    const lines = service.log.take().map(({ status_changed_to: status = 'draft', ...line }) => {
      ok(jobStatuses.some((each) => each === status));
      return line;
    });
    expect(lines).toEqual([lineOf(operation, sent, response)]);
    for (const name in []) throw new Error(`A prototype has the member ${name}.`);
    return response;
  };
  return { ...service, token, responses, attack };
}

/**
 * Makes 20,000 requests in the soak.
 * @param outcomes what `property` must return at least once each, and nothing else.
 */
export async function checkRequests<T>(
  requests: fc.Arbitrary<T>,
  property: (request: T) => Promise<string>,
  outcomes: readonly string[],
): Promise<void> {
  const seen = new Set<string>();
  const checked = fc.asyncProperty(requests, async (request) => {
    seen.add(await property(request));
  });
  await fc.assert(checked, { numRuns: scaled(20_000), seed: seed() });
  expect([...seen].toSorted()).toEqual(outcomes.toSorted());
}

function lineOf(name: OperationName, { pathParameters }: TestRequest, { status, body }: Result) {
  const { operationId, method, path } = operations[name];
  const ids = Object.entries(pathParameters ?? {});
  const logged = ids.map(([key, id]) => [key === 'id' ? 'job_id' : key, id]);
  const fault = Object.entries(tokenFaults).find(([, detail]) => detail === body.detail)?.[0];
  return {
    level: 'INFO',
    timestamp: expect.any(String),
    request_id: 'request-1',
    invocation_id: 'invocation-1',
    operation: operationId,
    function_version: '$LATEST',
    route: `${method} ${path}`,
    ...Object.fromEntries(logged),
    ...(status !== 401 && { tenant: 'default', subject: 'user-1', client: 'client-1' }),
    ...(fault !== undefined && { token_fault: fault }),
    outcome: status === 200 ? 'ok' : body.code,
    status,
    duration_ms: expect.any(Number),
    cold_start: expect.any(Boolean),
  };
}
