import { METHODS } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import { operations } from '../../functions/contract/operations.ts';
import { checkResponse, responseChecks } from '../../infra/openapi/check-response.ts';
import { useGatewayService } from '../support/gateway-service.ts';
import { applicationItem, jobItem } from '../support/items.ts';
import { documentedOperations, misfitOf } from '../support/openapi-file.ts';
import {
  type DocumentedRequest,
  invalidRequests,
  pathOf,
  validRequests,
} from './openapi/documented-requests.ts';
import { printCounts } from './random-cases.ts';

const GATEWAY_MESSAGE = { $ref: '#/components/schemas/GatewayMessage' };
/** The methods of HTTP but CONNECT, which asks for a tunnel. */
const answerChecks = ['not_a_server_error', ...responseChecks];
const METHODS_ASKED = METHODS.filter((method) => method !== 'CONNECT');

const counts: Record<string, number> = {
  requests: 0,
  ...Object.fromEntries(answerChecks.map((name) => [name, 0])),
  positive_data_acceptance: 0,
  ensure_resource_availability: 0,
  negative_data_rejection: 0,
  missing_required_header: 0,
  ignored_auth: 0,
  unsupported_method: 0,
  departures: 0,
};
const count = (name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

function contractOf(operationId: string): Operation {
  const contracts: readonly Operation[] = Object.values(operations);
  const found = contracts.find((contract) => contract.operationId === operationId);
  if (found === undefined) throw new Error(`There is no contract of ${operationId}.`);
  return found;
}

afterAll(() => printCounts('requests by the document', counts));

/** How long a busy machine may take. */
const GUARD_MS = 600_000;

describe.each(documentedOperations)('$operationId, asked what its document says', (operation) => {
  // One of its own, because operations that share an item must not find what another has stored.
  const service = useGatewayService();
  const contract = contractOf(operation.operationId);
  const valid = validRequests(operation);
  const invalid = invalidRequests(operation);
  /** The answers of the function, which its log has a line for each. */
  let invocations: unknown[] = [];
  let token: string;

  beforeAll(async () => {
    token = await service.issuer.mint();
    // A busy machine may not fetch the issuer's keys within the second that the service waits for them.
    const requests = await warmUp();
    await vi.waitFor(() => expect(service.log.lines).toHaveLength(requests), GUARD_MS);
  });
  beforeEach(() => {
    invocations = [];
  });
  afterEach(async () => {
    const logged = () => service.log.lines.map(({ request_id: id }) => id);
    await expect.poll(logged).toEqual(invocations);
    expect(service.reports).toEqual([]);
  });

  /** Sends a request until the service can answer it; gives how often. */
  async function warmUp(): Promise<number> {
    let requests = 0;
    const headers = { Authorization: `Bearer ${token}` };
    const request = {
      method: operation.method,
      path: pathOf(valid[0] as DocumentedRequest),
      headers,
    };
    await vi.waitFor(
      async () => {
        requests += 1;
        expect((await service.send(request)).status).toBeLessThan(500);
      },
      { timeout: GUARD_MS, interval: 1000 },
    );
    return requests;
  }

  /** Sends a request and holds the answer to the document. */
  async function ask(request: DocumentedRequest, authorization = `Bearer ${token}`) {
    const headers = { ...request.headers, ...(authorization && { Authorization: authorization }) };
    const { method } = operation;
    const sent = { method, path: pathOf(request), headers, body: request.body };
    const { text, ...answer } = await service.send(sent);
    count('requests');
    invocations.push(answer.headers['x-request-id']);
    expect(answer.status, request.what).toBeLessThan(500);
    const found = checkResponse(contract, { ...answer, body: JSON.parse(text) });
    for (const name of answerChecks) count(name);
    for (const _ of found) count('departures');
    expect(found, request.what).toEqual([]);
    return answer;
  }

  /** What the gateway answers by itself, without a function. */
  async function askGateway(method: string, path: string) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const { status, headers: answered, text } = await service.send({ method, path, headers });
    count('requests');
    expect([method, status]).toEqual([method, 404]);
    expect(answered['content-type']).toBe('application/json');
    expect(answered).not.toHaveProperty('x-request-id');
    if (method !== 'HEAD') expect(misfitOf(GATEWAY_MESSAGE, JSON.parse(text))).toBeUndefined();
  }

  const inPath = (request: DocumentedRequest) =>
    Object.values(request.ids).every((id) => id !== '');

  /** Stores what a request asks for. */
  const store = ({ ids: { id: job = '', candidate_id: candidate } }: DocumentedRequest) =>
    service.table.put(
      candidate === undefined
        ? jobItem({ job }, { status: 'published', version: 3 })
        : applicationItem({ job, candidate }),
    );

  it('says 404 of what does not exist yet, however right the request is', async () => {
    for (const request of valid) expect((await ask(request)).status, request.what).toBe(404);
  });

  it('accepts every request that the document allows, as soon as there is what it asks for', async () => {
    const examples = operation.parameters.flatMap(({ schema }) => schema.examples ?? []);
    for (const request of valid) await store(request);
    for (const request of valid) {
      const { status } = await ask(request);
      count('ensure_resource_availability');
      count('positive_data_acceptance');
      const condition = request.headers['If-Match'];
      const isUnmet = status === 412 && condition !== undefined && !examples.includes(condition);
      expect(isUnmet ? 200 : status, request.what).toBe(200);
    }
  });

  it('refuses every request that the document forbids, for what is wrong with it', async () => {
    for (const request of invalid.filter(inPath)) {
      const { status } = await ask(request);
      const isHeaderMissing = request.what === 'no media type';
      count(isHeaderMissing ? 'missing_required_header' : 'negative_data_rejection');
      expect([400, 413, 415], request.what).toContain(status);
    }
  });

  it('has no route for an empty identifier', async () => {
    const empty = invalid.filter((request) => !inPath(request));
    expect(empty).toHaveLength(operation.path.split('{').length - 1);
    for (const request of empty) await askGateway(operation.method, pathOf(request));
  });

  it.each([
    ['no token', ''],
    ['another scheme', 'Basic YW5hOmFuYQ=='],
    ['a token that is none', 'Bearer a.b.c'],
  ])('refuses %s before it looks at anything else', async (_, authorization) => {
    for (const request of [...valid, ...invalid].filter(inPath)) {
      const { status } = await ask(request, authorization);
      count('ignored_auth');
      if (authorization === '') count('missing_required_header');
      expect(status, request.what).toBe(401);
    }
  });

  it('is not reached by a method that the document has not', async () => {
    const documented = documentedOperations.filter(({ path }) => path === operation.path);
    const others = METHODS_ASKED.filter((name) =>
      documented.every(({ method }) => method !== name),
    );
    expect(others.length).toBe(METHODS_ASKED.length - documented.length);
    for (const method of others) {
      await askGateway(method, pathOf(valid[0] as DocumentedRequest));
      count('unsupported_method');
    }
  });
});
