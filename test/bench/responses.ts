import { deepEqual } from 'node:assert/strict';
import type { FunctionResponse } from '../../functions/platform/invocation.ts';
import { type Contender, type MeasuredOperation, ours } from './contenders.ts';
import { eventFor, startEnvironment } from './environment.ts';
import type { Setting } from './measurements.ts';
import type { Stub } from './stub.ts';

const unknown = { pathParameters: { id: 'j-2', candidate_id: 'c-2' } };

/**
 * Only equal work can be compared, so all contenders must respond alike, even to requests that they reject.
 * @throws AssertionError if a response differs; Error if a process has ended.
 */
export async function checkResponses(
  operation: MeasuredOperation,
  { stub, others }: Setting,
): Promise<void> {
  const expected = await responsesOf(ours, operation, stub);
  deepEqual(expected.statuses, [200, 401, 401, 403, 404]);
  for (const each of others) {
    deepEqual(await responsesOf(each, operation, stub), expected, `${each.label} differs.`);
  }
}

async function responsesOf(contender: Contender, operation: MeasuredOperation, stub: Stub) {
  const environment = startEnvironment(contender, operation, stub);
  const { valid, expired, forged, withoutScope } = stub.tokens;
  const events = [valid, expired, forged, withoutScope].map((token) => eventFor(operation, token));
  const responses: FunctionResponse[] = [];
  for (const event of [...events, eventFor(operation, valid, unknown)]) {
    responses.push((await environment.call({ event })).response);
  }
  await environment.stop();
  const { headers = {}, body } = responses[0] ?? {};
  const etag = Object.entries(headers).find(([name]) => /^etag$/i.test(name))?.[1];
  return { body, etag, statuses: responses.map(({ statusCode }) => statusCode) };
}
