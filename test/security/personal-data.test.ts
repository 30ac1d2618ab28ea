import { afterAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import { type ProblemCode, problemDefinitions } from '../../functions/contract/problem.ts';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../functions/operations/operations.ts';
import { validRequest } from '../support/contract.ts';
import { AUDIENCE, TestIssuer } from '../support/issuer.ts';
import { FaultyProxy } from '../support/proxy.ts';
import { createTestTable } from '../support/table.ts';
import { data, partsOf, tracesOf, who } from './personal-data/canaries.ts';
import { claims, exposedRequests, itemOf, unread } from './personal-data/exposed-requests.ts';
import { FunctionProcess, linesOf } from './personal-data/function-process.ts';

const HASH = expect.stringMatching(/^sha256:[\da-f]{16}$/);
const ANONYMOUS = ['unauthenticated', 'invalid_token'];

describe('personal data', async () => {
  const [table, issuer, proxy] = await Promise.all([
    createTestTable(),
    TestIssuer.start(),
    FaultyProxy.start(),
  ]);
  afterAll(() => Promise.all([issuer.stop(), proxy.stop()]));

  const start = (operation: OperationName, variables: Readonly<Record<string, string>> = {}) =>
    new FunctionProcess(operation, {
      AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
      TABLE_NAME: table.name,
      ISSUER: issuer.url,
      AUDIENCE,
      TENANT_CLAIM: 'tenant',
      TRANSITION_POLICY: 'lifecycle',
      ...variables,
    });

  it.each(operationNames)('is not in the output of %s, whatever the outcome', async (name) => {
    const running = start(name);
    const secrets = new Set<string>(data);
    const outcomes: (ProblemCode | 'ok')[] = [];
    for (const exposed of await exposedRequests(name, issuer)) {
      const { outcome, request = {}, fault = 'none', stored } = exposed;
      await table.put({ ...itemOf(name), ...stored });
      proxy.expect(fault);
      const headers = { ...unread.headers, ...request.headers };
      const operation: Operation = operations[name];
      const pathParameters = {
        ...validRequest(operation).pathParameters,
        ...{ id: who.email, candidate_id: who.phone },
        ...request.pathParameters,
      };
      const body = operation.body?.example;
      const token = await issuer.mint(claims);
      const full = { ...unread, token, body, ...request, headers, pathParameters };
      for (const part of partsOf(full.token ?? '')) secrets.add(part);
      const response = await running.call({ ...full, requestId: `request-${outcomes.length}` });
      outcomes.push(outcome);
      const { code = 'ok' } = JSON.parse(response.body);
      expect([code, response.body]).toEqual([outcome, response.body]);
      if (outcome !== 'ok') expect(tracesOf(data, JSON.stringify(response))).toEqual([]);
    }
    const { stdout, stderr } = await running.end();
    expect(new Set(outcomes)).toEqual(new Set(['ok', ...operations[name].problems]));
    expect(stderr).toBe('');
    expect(tracesOf(secrets, stdout)).toEqual([]);
    const { parameters }: Operation = operations[name];
    const ids = Object.values(parameters);
    const lines = outcomes.map((outcome, at) => {
      const isKnown = !ANONYMOUS.includes(outcome);
      return expect.objectContaining({
        request_id: `request-${at}`,
        outcome,
        status:
          outcome === 'ok' ? operations[name].response.status : problemDefinitions[outcome].status,
        ...(ids.includes('job_id') && outcome !== 'invalid_path' && { job_id: HASH }),
        ...(isKnown && { subject: HASH, client: HASH }),
        ...(isKnown && outcome !== 'no_tenant' && { tenant: HASH }),
      });
    });
    expect(linesOf(stdout)).toEqual(lines);
  });

  it('and credentials are not in the error for a wrong variable', async () => {
    const ISSUER = `ftp://user:${encodeURIComponent(who.secret)}@login.example.com/${who.email}`;
    const { stdout, stderr, exitCode } = await start('get-application', { ISSUER }).end();
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Error: .*\bISSUER\b/m);
    expect(tracesOf(data, stdout + stderr)).toEqual([]);
  });
});

it.each<[string, (text: string) => string]>([
  ['in JSON in JSON', (text) => JSON.stringify({ body: JSON.stringify({ detail: text }) })],
  ['in a URL', (text) => `https://example.com/?q=${encodeURIComponent(text)}&r`],
  ['in Base64 after two bytes', (text) => Buffer.from(`é${text}, and more`).toString('base64')],
])('the search for personal data finds each text %s', (_, encode) => {
  for (const text of data) expect(tracesOf(data, encode(text))).toContain(text);
});
