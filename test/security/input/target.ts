import { deepStrictEqual, ok } from 'node:assert';
import { beforeAll } from 'vitest';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { pseudonym } from '../../../functions/domain/pseudonym.ts';
import { checkResponse } from '../../../infra/openapi/check-response.ts';
import { type Answer, type Handler, invoke, type TestRequest } from '../../support/invoke.ts';
import { nowInSeconds, signingKey } from '../../support/issuer.ts';
import { loadHandler, type Service, useService } from '../../support/service.ts';
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
    // The keys are fetched when the functions start.
    for (const name of operationNames) {
      handlers[name] = await loadHandler(target, name);
      // The log line of a cold start has a metric more.
      await invoke(handlers[name], operations[name], {});
    }
  });
  target.attack = async (request) => {
    const { operation, isHeaderless } = request;
    const handler: Handler = (event, context) =>
      handlers[operation](isHeaderless ? without(event, 'headers') : event, context);
    const answer = await invoke(handler, operations[operation], {
      ...request,
      requestId: 'request-1',
      invocationId: 'invocation-1',
    });
    ok(answer.status < 500);
    deepStrictEqual(checkResponse(operations[operation], answer), []);
    deepStrictEqual(target.log.take().map(lasting), [logged(request, answer)]);
    ok(isPristine());
    return answer;
  };
  return target;
}

const without = <T extends object>(event: T, name: keyof T): T => {
  const { [name]: _, ...rest } = event;
  return rest as T;
};

const prototypes: object[] = [Object.prototype, Array.prototype];
/** The members, and their values or accessors, of what every object inherits. */
const membersNow = () =>
  prototypes.flatMap((prototype) =>
    Reflect.ownKeys(prototype).flatMap((name) => {
      const { value, get, set } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
      return [name, value, get, set];
    }),
  );
const pristine = membersNow();

/** Compares by identity: a deep comparison would take as long as a request. */
function isPristine(): boolean {
  const now = membersNow();
  return now.length === pristine.length && now.every((value, at) => value === pristine[at]);
}

/** A line of the log without what differs between two equal requests. */
function lasting(full: Record<string, unknown>) {
  const { timestamp, duration_ms, cold_start, status_changed_to: changed, ...rest } = full;
  deepStrictEqual(
    [timestamp, duration_ms, cold_start].map((value) => typeof value),
    MEASURED,
  );
  ok(changed === undefined || (rest.status === 200 && statuses.has(changed)));
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
    return isNamed ? [[name === 'id' ? 'job_id' : name, pseudonym(id)]] : [];
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
