import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Problem, unavailable } from '../../../functions/contract/problem.ts';
import { systemClock, type Timer } from '../../../functions/platform/clock.ts';
import { documentClient } from '../../../functions/store/client.ts';
import { withRetries } from '../../../functions/store/retries.ts';
import { NoResponseError } from '../../../functions/store/transport.ts';
import { dynamoError } from '../../support/faults.ts';
import { useEmbeddedDatabase } from '../../support/table.ts';

type Attempt = { status: number; body: string; headers?: Record<string, string> } | Error;

const good = { status: 200, body: '{"ConsumedCapacity":{}}' };
const tooLarge = (status: number) =>
  Object.assign(new RangeError('large'), { $metadata: { httpStatusCode: status } });
const DEPTH = 100_000;
const deep = `{"Item":{"a":${'{"L":['.repeat(DEPTH)}${']}'.repeat(DEPTH)}}}`;

async function outcomeOf(responses: readonly Attempt[], signal = new AbortController().signal) {
  let attempts = 0;
  const pausesMs: number[] = [];
  const timer: Timer = (name, ms, end) => {
    if (name === 'pause') pausesMs.push(ms);
    queueMicrotask(end);
    return () => undefined;
  };
  const handle = async () => {
    const response: Attempt = responses[Math.min(attempts, responses.length - 1)] ?? good;
    attempts += 1;
    if (response instanceof Error) throw response;
    const { status: statusCode, body, headers = {} } = response;
    return { response: new HttpResponse({ statusCode, headers, body: Buffer.from(body) }) };
  };
  const endpoint = 'http://127.0.0.1:1';
  const { client } = documentClient({ region: 'us-east-1', endpoint }, { handle }, systemClock);
  const command = new GetCommand({ TableName: 'table', Key: { pk: 'a' } });
  const result = await withRetries(() => client.send(command), signal, timer);
  const problem = result.isSuccess ? undefined : result.problem;
  return {
    attempts,
    pausesMs,
    isOutcomeUnknown: !result.isSuccess && result.isOutcomeUnknown,
    said: problem === undefined ? 'ok' : problem instanceof Problem ? problem.message : 'internal',
  };
}

const database = unavailable('database').detail;
const named = (name: string, status = 400) => dynamoError(status, name);
const signature = (message: string) => dynamoError(400, 'InvalidSignatureException', message);

beforeAll(useEmbeddedDatabase);

describe('a request that meets the same each time', () => {
  it.each<[string, Attempt, attempts: number, isOutcomeUnknown: boolean, said: string]>([
    // The request was not sent:
    ['finds no connection', new NoResponseError(false, new Error()), 3, false, database],
    ['fails before it is sent', new TypeError('Invented.'), 1, false, 'internal'],
    // The request was sent:
    ['loses its connection', new NoResponseError(true, new Error()), 3, true, database],
    ['meets a failure of its own', named('NotImplementedException', 501), 3, true, database],
    ['is behind a gateway that times out', { status: 504, body: '' }, 3, true, database],
    ['is refused by a gateway', { status: 403, body: '<html>' }, 3, true, database],
    ['is denied by a gateway by a word', named('AccessDenied', 403), 3, true, database],
    ['has too many neighbours', { status: 429, body: '{}' }, 3, true, database],
    ['gets half of a response', { status: 200, body: '{"Item":{' }, 3, true, database],
    ['is refused without a name', { status: 400, body: '{}' }, 3, true, database],
    ['is refused by a web page', { status: 400, body: '<html>' }, 3, true, database],
    ['gets a response too large to read', tooLarge(200), 1, true, 'internal'],
    ['gets a response too deep to read', { status: 200, body: deep }, 1, true, 'internal'],
    ['gets a refusal too large to read', tooLarge(400), 1, false, 'internal'],
    // Clock skew, except in the last row:
    ['has an early signature', signature('Signature not yet current: 2026'), 3, false, database],
    ['has a late signature', signature('Signature expired: 2026'), 3, false, database],
    ['quotes such an error', signature('No: Signature expired'), 1, false, 'internal'],
  ])('and %s', async (_, response, attempts, isOutcomeUnknown, said) => {
    expect(await outcomeOf([response])).toMatchObject({ attempts, isOutcomeUnknown, said });
  });
});

describe('an error that DynamoDB documents', () => {
  type Row = [name: string, status: number, applied: 'no' | 'perhaps', retry: 'no' | 'yes'];
  const rows: Row[] = [
    // "GetItem" and "UpdateItem" (API Reference)
    ['ConditionalCheckFailedException', 400, 'no', 'no'],
    ['InternalServerError', 500, 'perhaps', 'yes'],
    ['InvalidEndpointException', 421, 'no', 'yes'],
    ['ItemCollectionSizeLimitExceededException', 400, 'no', 'yes'],
    ['ProvisionedThroughputExceededException', 400, 'no', 'yes'],
    ['ReplicatedWriteConflictException', 400, 'no', 'yes'],
    ['RequestLimitExceeded', 400, 'no', 'yes'],
    ['ResourceNotFoundException', 400, 'no', 'no'],
    ['ThrottlingException', 400, 'no', 'yes'],
    ['TransactionConflictException', 400, 'no', 'yes'],
    // "Common Errors" (API Reference) lists 403 for credential errors; DynamoDB itself sends 400.
    ['AccessDeniedException', 400, 'no', 'no'],
    ['AccessDeniedException', 403, 'no', 'no'],
    ['ExpiredTokenException', 400, 'no', 'yes'],
    ['ExpiredTokenException', 403, 'no', 'yes'],
    ['IncompleteSignature', 400, 'no', 'no'],
    ['InternalFailure', 500, 'perhaps', 'yes'],
    ['MalformedHttpRequestException', 400, 'no', 'no'],
    ['MissingAuthenticationToken', 403, 'no', 'no'],
    ['NotAuthorized', 401, 'no', 'no'],
    ['OptInRequired', 403, 'no', 'no'],
    ['RequestAbortedException', 400, 'perhaps', 'yes'],
    ['RequestEntityTooLargeException', 413, 'no', 'no'],
    ['RequestExpired', 400, 'no', 'yes'],
    ['RequestTimeoutException', 408, 'perhaps', 'yes'],
    ['ServiceUnavailable', 503, 'perhaps', 'yes'],
    ['UnknownOperationException', 404, 'no', 'no'],
    ['UnrecognizedClientException', 400, 'no', 'yes'],
    ['UnrecognizedClientException', 403, 'no', 'yes'],
    ['ValidationError', 400, 'no', 'no'],
    // "Error handling with DynamoDB" (Developer Guide)
    ['IncompleteSignatureException', 400, 'no', 'no'],
    ['LimitExceededException', 400, 'no', 'yes'],
    ['MissingAuthenticationTokenException', 400, 'no', 'no'],
    ['ResourceInUseException', 400, 'no', 'no'],
    ['ValidationException', 400, 'no', 'no'],
    // Not documented
    ['AnErrorOfNextYearException', 400, 'perhaps', 'yes'],
    ['InvalidSignatureException', 400, 'no', 'no'],
    ['SerializationException', 400, 'no', 'no'],
    ['ThrottlingException', 500, 'perhaps', 'yes'],
  ];

  it.each(rows)('%s (%i): applied: %s, retry: %s', async (name, status, applied, retry) => {
    expect(await outcomeOf([named(name, status)])).toMatchObject({
      attempts: retry === 'yes' ? 3 : 1,
      isOutcomeUnknown: applied === 'perhaps',
      said: retry === 'yes' ? database : 'internal',
    });
  });

  it.each(['GetItem', 'UpdateItem'])(
    "has a row if the SDK's model has it for %s",
    async (action) => {
      const path = `node_modules/@aws-sdk/client-dynamodb/dist-types/commands/${action}Command.d.ts`;
      const text = await readFile(path, 'utf8');
      const names = Array.from(
        text.matchAll(/@throws \{@link (\w+)\} \(\w+ fault\)/g),
        ([, name]) => name,
      );
      expect(names).toContain('InternalServerError');
      expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining(names));
    },
  );
});

describe('a request', () => {
  const reset = new NoResponseError(true, new Error());

  it.each([
    ['the second', [reset, good], 2],
    ['the third', [named('ThrottlingException'), reset, good], 3],
  ])('succeeds by %s attempt', async (_, responses, attempts) => {
    expect(await outcomeOf(responses)).toMatchObject({ attempts, said: 'ok' });
  });

  it('may be applied if any attempt may be, whatever became of the last', async () => {
    const responses = [reset, named('AccessDeniedException')];
    expect(await outcomeOf(responses)).toMatchObject({ attempts: 2, isOutcomeUnknown: true });
  });

  it('makes pauses of random length, and longer ones if it is throttled', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    onTestFinished(() => random.mockRestore());
    expect((await outcomeOf([reset])).pausesMs).toEqual([25, 50]);
    for (const name of [
      'LimitExceededException',
      'ProvisionedThroughputExceededException',
      'RequestLimitExceeded',
      'ThrottlingException',
    ]) {
      const throttled = { ...named(name), headers: { 'retry-after': '60' } };
      expect((await outcomeOf([throttled])).pausesMs).toEqual([500, 1000]);
    }
  });

  it('is not tried again once the time is up', async () => {
    const outcome = await outcomeOf([reset], AbortSignal.abort());
    expect(outcome).toMatchObject({
      attempts: 1,
      pausesMs: [],
      isOutcomeUnknown: true,
      said: unavailable('timeLimit').detail,
    });
  });

  it('ends its pause when the time is up, and leaves neither timer nor listener', async () => {
    const controller = new AbortController();
    let running = 0;
    const timer: Timer = () => {
      running += 1;
      queueMicrotask(() => controller.abort());
      return () => {
        running -= 1;
      };
    };
    const send = vi.fn(() => Promise.reject(reset));
    const result = await withRetries(send, controller.signal, timer);
    expect(result).toMatchObject({ isOutcomeUnknown: true, problem: { cause: reset } });
    expect([send.mock.calls.length, running]).toEqual([1, 0]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
