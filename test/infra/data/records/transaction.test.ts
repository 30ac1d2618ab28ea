import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../../../functions/store/items.ts';
import { jobKey } from '../../../../functions/store/keys.ts';
import { databaseTime, startDatabaseClock } from '../../../../infra/data/records/database-time.ts';
import { ItemTooLarge, put, remove, transact } from '../../../../infra/data/records/transaction.ts';
import { cancelled, cancelledFor, dynamoError, type Fault } from '../../../support/faults.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable } from '../../../support/table.ts';

const [{ name, client }, proxy] = await Promise.all([createTestTable(), FaultyProxy.start()]);
afterAll(() => proxy.stop());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});
const proxied = new DynamoDBClient({ endpoint: proxy.url });
const IS_NEW = { condition: 'attribute_not_exists(#pk)' };
const newKey = (): Item => ({ ...jobKey('default', crypto.randomUUID()) });
const tokens = () => new Set(proxy.requests.map(({ input }) => input.ClientRequestToken));

describe('transact', () => {
  const key = newKey();
  const actions = [put(name, key, IS_NEW), put(name, newKey())];

  it.each<[string, Fault]>([
    ['a conflict', cancelled('None', 'TransactionConflict')],
    ['throttling', cancelled('ThrottlingError', 'None')],
    ['too little capacity', cancelled('ProvisionedThroughputExceeded', 'TransactionConflict')],
    ['an earlier attempt under way', dynamoError(400, 'TransactionInProgressException')],
    ['a lost response', 'response lost'],
  ])('repeats after %s, with the same token', async (_, fault) => {
    proxy.expect(fault, 'none');
    const own = [put(name, newKey(), IS_NEW), put(name, newKey())];
    expect(await transact({ client: proxied, name }, own)).toBeUndefined();
    expect(proxy.requests).toHaveLength(2);
    expect(tokens().size).toBe(1);
  });

  it.each<[string, Fault, object | RegExp]>([
    ['a wrong operand', cancelled('ValidationError', 'None'), TransactionCanceledException],
    ['a reason that AWS adds later', cancelled('NewReason', 'TransactionConflict'), /cancelled/],
    ['no reasons', cancelled(), TransactionCanceledException],
    [
      'a token used for something else',
      dynamoError(400, 'IdempotentParameterMismatchException'),
      /Invented/,
    ],
    ['a request that breaks a rule', dynamoError(400, 'ValidationException'), /Invented/],
    [
      'a stored item that became too large',
      cancelledFor(
        { Code: 'None' },
        {
          Code: 'ValidationError',
          Message: 'Item size to update has exceeded the maximum allowed size',
        },
      ),
      ItemTooLarge,
    ],
    ['a refusal without the stored item', cancelled('ConditionalCheckFailed', 'None'), /left out/],
  ])('throws after %s', async (_, fault, expected) => {
    proxy.expect(fault, 'none');
    await expect(transact({ client: proxied, name }, actions)).rejects.toThrow(expected as never);
    expect(proxy.requests).toHaveLength(1);
  });

  it('throws the conflict once its time is over, after pauses that grow', async () => {
    proxy.expect(cancelled('TransactionConflict'));
    // The longest pauses: 50, 100, 200 and 400 ms.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const end = transact({ client: proxied, name }, actions, { repeatMs: 600 });
    await expect(end).rejects.toThrow(TransactionCanceledException);
    expect(proxy.requests.length).toBeGreaterThan(1);
    expect(proxy.requests.length).toBeLessThanOrEqual(5);
    expect(tokens().size).toBe(1);
  });

  it('takes a failed condition as the answer, even beside a conflict', async () => {
    const refused = { Code: 'ConditionalCheckFailed', Item: { pk: { S: 'p' }, n: { N: '7' } } };
    proxy.expect(cancelledFor(refused, { Code: 'TransactionConflict' }));
    expect(await transact({ client: proxied, name }, actions)).toEqual([
      { pk: 'p', n: 7 },
      undefined,
    ]);
  });

  it('applies all actions or none, and returns the items that refuse them', async () => {
    const [taken, free] = [newKey(), newKey()];
    const table = { client, name };
    expect(await transact(table, [put(name, { ...taken, n: 1 }, IS_NEW)])).toBeUndefined();
    const both = [put(name, free, IS_NEW), put(name, taken, IS_NEW)];
    expect(await transact(table, both)).toEqual([undefined, { ...taken, n: 1 }]);
    expect(await transact(table, [put(name, free, IS_NEW)])).toBeUndefined();
  });

  it('tells a deleted item by an empty one', async () => {
    const isThere = { condition: 'attribute_exists(#pk)' };
    expect(await transact({ client, name }, [remove(name, newKey(), isThere)])).toEqual([{}]);
  });

  it('begins nothing after its signal', async () => {
    proxy.expect('none');
    const signal = AbortSignal.abort(new Error('Stopped.'));
    await expect(transact({ client: proxied, name }, actions, { signal })).rejects.toThrow(
      'Stopped.',
    );
    expect(proxy.requests).toEqual([]);
  });
});

describe("DynamoDB's time", () => {
  it.each([-3_600_000, 3_600_000])(
    "counts on although this machine's clock is set by %i ms",
    async (ms) => {
      const clock = await startDatabaseClock({ client, name });
      const start = clock();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
      expect(clock()).toBeGreaterThanOrEqual(start);
      expect(clock() - start).toBeLessThan(Math.abs(ms));
    },
  );

  it('is an error if a response has none', async () => {
    const undated = new DynamoDBClient({});
    undated.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        delete Object(result.response).headers.date;
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
    await expect(databaseTime({ client: undated, name })).rejects.toThrow('no valid Date header');
  });
});
