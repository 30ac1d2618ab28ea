import { deepStrictEqual, ok } from 'node:assert';
import { beforeAll, vi } from 'vitest';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { loggedIdentifier } from '../../../functions/http/logged-identifier.ts';
import { departures } from '../../support/conformance.ts';
import { dataOf } from '../../support/embedded-metrics.ts';
import { type Answer, type Handler, invoke, type TestRequest } from '../../support/invoke.ts';
import { nowInSeconds, signingKey } from '../../support/issuer.ts';
import { documentedOperation } from '../../support/openapi-file.ts';
import { type Service, useService } from '../../support/service.ts';
import { isId } from './hostile-ids.ts';

/** A request under attack; what it leaves out is as API Gateway sends it. */
export interface Attack extends TestRequest {
  operation: OperationName;
  /** Whether the event has no headers at all. */
  isHeaderless?: boolean;
}

/** The functions under attack, and a token that they take. */
export interface Target extends Service {
  token: string;
  /**
   * Sends a request.
   * @throws AssertionError if the answer departs from the contract, the log is wrong, or a prototype has changed.
   */
  attack(request: Attack): Promise<Answer>;
}

/** Starts the functions for requests by the ten thousand. */
export function useTarget(): Target {
  const target = useService() as Target;
  const handlers = {} as Record<OperationName, Handler>;
  beforeAll(async () => {
    // One token for all, of the algorithm that is verified faster.
    const key = await signingKey('RS256');
    target.issuer.published.push(key.jwk);
    target.token = await target.issuer.mint({ exp: nowInSeconds() + 86_400 }, {}, key);
    const get = await import('../../../functions/get-application.ts');
    const update = await import('../../../functions/update-job-status.ts');
    handlers['get-application'] = get.handler as unknown as Handler;
    handlers['update-job-status'] = update.handler as unknown as Handler;
    for (const name of operationNames) await vi.waitFor(() => warmUp(name), PATIENCE);
  });
  // The first request fetches the issuer's keys within a second, which a busy machine may not give it.
  const warmUp = async (name: OperationName) => {
    const { status } = await invoke(handlers[name], operations[name], { token: target.token });
    deepStrictEqual(status, 400);
  };
  target.attack = async (request) => {
    const { operation, isHeaderless } = request;
    const handler: Handler = (event, context) =>
      handlers[operation](isHeaderless ? without(event, 'headers') : event, context);
    const answer = await invoke(handler, operations[operation], {
      ...request,
      requestId: 'request-1',
      invocationId: 'invocation-1',
    });
    const { operationId } = operations[operation];
    deepStrictEqual(departures(documentedOperation(operationId), answer), []);
    deepStrictEqual(target.log.take().map(lasting), [logged(request, answer)]);
    deepStrictEqual(prototypes(), pristine);
    return answer;
  };
  return target;
}

/** A failed fetch of keys is not repeated for ten seconds. */
const PATIENCE = { timeout: 25_000, interval: 1000 };

const without = <T extends object>(event: T, name: keyof T): T => {
  const { [name]: _, ...rest } = event;
  return rest as T;
};

/** The members and their descriptors of what every object inherits. */
const prototypes = () => [Object.prototype, Array.prototype].map(Object.getOwnPropertyDescriptors);
const pristine = prototypes();

/** A line of the log without what differs between two equal requests, and without its metrics. */
function lasting(full: Record<string, unknown>) {
  const { timestamp, duration_ms, cold_start, status_changed_to: changed, ...line } = full;
  deepStrictEqual(
    [timestamp, duration_ms, cold_start].map((value) => typeof value),
    MEASURED,
  );
  const { _aws, function_name, requests, status_changes, ...rest } = line;
  deepStrictEqual(
    dataOf(full).map(({ value, dimensions }) => [value, dimensions]),
    [
      [1, { function_name, outcome: line.outcome }],
      [duration_ms, { function_name }],
      ...(changed === undefined ? [] : [[1, { function_name, status_changed_to: changed }]]),
    ],
  );
  ok(changed === undefined || (line.status === 200 && statuses.has(changed)));
  return rest;
}
const statuses = new Set<unknown>(jobStatuses);
const MEASURED = ['string', 'number', 'boolean'];

/** All that the log may hold of a request: whatever else the request has is not in it. */
function logged({ operation, pathParameters }: Attack, { status, body }: Answer) {
  const { operationId, method, path } = operations[operation];
  const names = ['id', 'candidate_id'].flatMap((name) => {
    const id = pathParameters?.[name];
    const isNamed = id !== undefined && isId(id);
    return isNamed ? [[name === 'id' ? 'job_id' : name, loggedIdentifier(id)]] : [];
  });
  return {
    level: 'INFO',
    request_id: 'request-1',
    invocation_id: 'invocation-1',
    operation: operationId,
    route: `${method} ${path}`,
    ...Object.fromEntries(names),
    ...(status !== 401 && { tenant: 'default', subject: 'user-1', client: 'client-1' }),
    outcome: status === 200 ? 'ok' : body.code,
    status,
  };
}
