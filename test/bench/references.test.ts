import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  buildContenders,
  type Contender,
  contenders,
  type MeasuredOperation,
  measured,
  referenceNames,
} from './contenders.ts';
import { type Environment, eventFor, startEnvironment } from './environment.ts';
import { type Stub, startStub } from './stub.ts';

const unknown = { id: 'j-2', candidate_id: 'c-2' };

/** Only a process that hangs takes as long. */
const GUARD_MS = 300_000;

let stub: Stub;
const environments = new Map<string, Environment>();

beforeAll(async () => {
  [stub] = await Promise.all([startStub(), buildContenders()]);
  for (const operation of measured) {
    for (const contender of contenders) {
      const environment = startEnvironment({ contender, operation }, stub);
      environments.set(`${contender} ${operation}`, environment);
      // On a busy machine the keys may come later than our function waits for them.
      const isReady = async () => (await answerOf(contender, operation)).statusCode !== 503;
      await vi.waitUntil(isReady, { timeout: GUARD_MS });
    }
  }
}, GUARD_MS);

afterAll(async () => {
  for (const environment of environments.values()) await environment.stop();
  stub.stop();
});

async function answerOf(
  contender: Contender,
  operation: MeasuredOperation,
  token: keyof Stub['tokens'] = 'valid',
  pathParameters = {},
) {
  const event = eventFor(operation, stub.tokens[token], pathParameters);
  const outcome = await environments.get(`${contender} ${operation}`)?.call({ event });
  const { statusCode, headers = {}, body = '' } = outcome?.reply ?? {};
  const names = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]);
  return { statusCode, headers: Object.fromEntries(names), body: JSON.parse(body) };
}

describe.for(referenceNames)('the reference %s', (name) => {
  it('answers a read with the same application as ours', async () => {
    const answer = await answerOf(name, 'get-application');
    const ours = await answerOf('ours', 'get-application');
    expect(answer.body).toEqual(ours.body);
    expect(Object.keys(answer.body)).toEqual(Object.keys(ours.body));
    expect([answer.statusCode, ours.statusCode]).toEqual([200, 200]);
  });

  it('answers an update with the same body and version as ours', async () => {
    const answer = await answerOf(name, 'update-job-status');
    const ours = await answerOf('ours', 'update-job-status');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toEqual({ success: true });
    expect(answer.headers.etag).toBe('"2"');
    expect(ours).toMatchObject({ ...answer, headers: { etag: '"2"' } });
  });

  it.for(measured)('rejects what ours rejects: %s', async (operation) => {
    const statuses = async (who: Contender) => ({
      expired: (await answerOf(who, operation, 'expired')).statusCode,
      forged: (await answerOf(who, operation, 'forged')).statusCode,
      foreign: (await answerOf(who, operation, 'foreign')).statusCode,
      withoutScope: (await answerOf(who, operation, 'withoutScope')).statusCode,
      unknown: (await answerOf(who, operation, 'valid', unknown)).statusCode,
    });
    const expected = { expired: 401, forged: 401, foreign: 401, withoutScope: 403, unknown: 404 };
    expect(await statuses(name)).toEqual(expected);
    expect(await statuses('ours')).toEqual(expected);
  });
});
