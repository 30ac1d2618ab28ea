import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../functions/contract/operations.ts';
import { problemTypes } from '../../functions/contract/problem.ts';
import { AUDIENCE, TestIssuer } from '../support/issuer.ts';
import { FaultyProxy } from '../support/proxy.ts';
import { createTestTable, type TestTable } from '../support/table.ts';
import { type Person, partsOf, person, tracesOf } from './personal-data/canaries.ts';
import { claimsOf } from './personal-data/exposed-credentials.ts';
import { exposedRequests, unread } from './personal-data/exposed-requests.ts';
import type { Exposed } from './personal-data/exposure.ts';
import { awsVariables, FunctionProcess } from './personal-data/function-process.ts';
import { printCounts, scaled } from './random-cases.ts';

const HASH = /^sha256:[\da-f]{16}$/;
/** Outcomes before which the caller is not known. */
const ANONYMOUS = ['unauthenticated', 'invalid_token'];

/** What the log must say of a request. */
interface Expected {
  requestId: string;
  operation: OperationName;
  outcome: string;
}

describe('personal data', () => {
  let table: TestTable;
  let issuer: TestIssuer;
  let proxy: FaultyProxy;
  const processes = new Map<OperationName, FunctionProcess>();
  const expected: Expected[] = [];
  const answered = new Map<string, string>();
  const secrets = new Set<string>();
  const counts = { requests: 0, outcomes: 0, secrets: 0, 'bytes of output': 0, hits: 0 };

  beforeAll(async () => {
    [table, issuer, proxy] = await Promise.all([
      createTestTable(),
      TestIssuer.start(),
      FaultyProxy.start(),
    ]);
    for (const name of operationNames) {
      const running = new FunctionProcess(name, {
        ...awsVariables(proxy.url),
        TABLE_NAME: table.name,
        ISSUER: issuer.url,
        AUDIENCE,
        TENANT_CLAIM: 'tenant',
        TRANSITION_POLICY: 'lifecycle',
      });
      processes.set(name, running);
      expect(await running.started()).toBe('ready');
    }
  });
  afterAll(async () => {
    await Promise.all([...processes.values()].map((running) => running.end()));
    await Promise.all([issuer.stop(), proxy.stop()]);
    printCounts('personal data', counts);
  });

  async function send(operation: OperationName, who: Person, token: string, exposed: Exposed) {
    const { outcome, request, item = {}, fault = 'none' } = exposed;
    const requestId = `request-${counts.requests}`;
    const { headers, event } = unread(who);
    if (Object.hasOwn(item, 'pk')) await table.put(item);
    proxy.expect(fault);
    const { body }: Operation = operations[operation];
    const full = {
      token,
      pathParameters: { id: who.email, candidate_id: who.phone },
      body: body?.example,
      ...request,
      requestId,
      event,
      headers: { 'content-type': 'application/json', ...headers, ...request.headers },
    };
    for (const part of partsOf(full.token ?? '')) secrets.add(part);
    const reply = await processes.get(operation)?.call(full);
    counts.requests += 1;
    expected.push({ requestId, operation, outcome });
    answered.set(requestId, reply?.body ?? '');
    expect([reply?.body, JSON.parse(reply?.body ?? '{}').code ?? 'ok']).toEqual([
      reply?.body,
      outcome,
    ]);
    if (outcome !== 'ok') expect(tracesOf(Object.values(who), JSON.stringify(reply))).toEqual([]);
  }

  it('comes in by every part of a request, and by every failure', async () => {
    for (let round = 0; round < scaled(1); round += 1) {
      const who = person(round);
      for (const secret of Object.values(who)) secrets.add(secret);
      for (const operation of operationNames) {
        const token = await issuer.mint(claimsOf(who));
        const requests = await exposedRequests({ who, issuer, operation });
        for (const exposed of requests) await send(operation, who, token, exposed);
      }
    }
    const outcomes = new Set(expected.map(({ outcome }) => outcome));
    counts.outcomes = outcomes.size;
    expect([...outcomes].toSorted()).toEqual(['ok', ...Object.keys(problemTypes)].toSorted());
    for (const name of operationNames) {
      const met = expected.filter(({ operation }) => operation === name);
      const codes = new Set(met.map(({ outcome }) => outcome));
      expect([...codes].toSorted()).toEqual(['ok', ...operations[name].problems].toSorted());
    }
  });

  it('goes out in the answer to a successful read', () => {
    const [first] = answered.values();
    const { secret: _, ...shown } = person(0);
    expect(tracesOf(Object.values(shown), first ?? '')).toEqual(Object.values(shown));
  });

  it('is nowhere in what the functions write', async () => {
    for (const running of processes.values()) {
      await running.end();
      counts['bytes of output'] += running.stdout.length + running.stderr.length;
      const traces = tracesOf(secrets, running.stdout + running.stderr);
      counts.hits += traces.length;
      expect(traces).toEqual([]);
      expect(running.stderr).toBe('');
    }
    counts.secrets = secrets.size;
    expect(secrets.size).toBeGreaterThan(60);
  });

  it('leaves one line for each request, which says who wanted what and what came of it', () => {
    const lines = [...processes.values()].flatMap((running) => running.lines);
    expect(lines.map((line) => line.request_id)).toEqual(
      operationNames.flatMap((name) =>
        expected.filter(({ operation }) => operation === name).map(({ requestId }) => requestId),
      ),
    );
    for (const { requestId, operation, outcome } of expected) {
      const line = lines.find((each) => each.request_id === requestId);
      const { method, path, operationId } = operations[operation];
      const isKnown = !ANONYMOUS.includes(outcome);
      expect(line).toMatchObject({ operation: operationId, route: `${method} ${path}`, outcome });
      expect(line?.status).toBe(outcome === 'ok' ? 200 : statusOf(outcome));
      const caller = { subject: line?.subject, client: line?.client };
      const hash = expect.stringMatching(HASH);
      expect(caller).toEqual(isKnown ? { subject: hash, client: hash } : {});
      expect(line?.tenant).toEqual(isKnown && outcome !== 'no_tenant' ? hash : undefined);
      if (outcome !== 'invalid_path') expect(line?.job_id).toEqual(hash);
    }
  });
});

const statusOf = (outcome: string) =>
  Object.entries(problemTypes).find(([code]) => code === outcome)?.[1].status;
