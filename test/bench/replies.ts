import { deepEqual } from 'node:assert/strict';
import { type Contender, type MeasuredOperation, ours } from './contenders.ts';
import { eventFor, startEnvironment } from './environment.ts';
import type { Setting } from './measurements.ts';
import type { Stub } from './stub.ts';

const unknown = { pathParameters: { id: 'j-2', candidate_id: 'c-2' } };

/**
 * Checks that the others do what ours does.
 * @throws AssertionError if one replies differently, to a valid request or to those that ours rejects.
 */
export async function checkReplies(
  operation: MeasuredOperation,
  { stub, others }: Setting,
): Promise<void> {
  const expected = await repliesOf(ours, operation, stub);
  deepEqual(expected.statuses, [200, 401, 401, 403, 404]);
  for (const each of others) {
    deepEqual(await repliesOf(each, operation, stub), expected, `${each.label} differs.`);
  }
}

async function repliesOf(contender: Contender, operation: MeasuredOperation, stub: Stub) {
  const environment = startEnvironment(contender, operation, stub);
  const replyTo = async (token: keyof Stub['tokens'], request = {}) => {
    const event = eventFor(operation, stub.tokens[token], request);
    return (await environment.call({ event })).reply;
  };
  const replies = [
    await replyTo('valid'),
    await replyTo('expired'),
    await replyTo('forged'),
    await replyTo('withoutScope'),
    await replyTo('valid', unknown),
  ];
  await environment.stop();
  const { headers = {}, body } = replies[0] ?? {};
  const etag = Object.entries(headers).find(([name]) => /^etag$/i.test(name))?.[1];
  return { body, etag, statuses: replies.map(({ statusCode }) => statusCode) };
}
