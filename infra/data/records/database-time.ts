import { GetItemCommand, type GetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isObject } from '../../../functions/domain/own-value.ts';
import { erasureKey } from '../../../functions/store/keys.ts';
import { DEFAULT_TENANT } from './records.ts';
import type { Table } from './table.ts';

interface ReadingClient {
  send(command: GetItemCommand): Promise<GetItemCommandOutput>;
}

/** Any key will do: only the response's header counts. */
const KEY = marshall({ ...erasureKey(DEFAULT_TENANT, 'time') });

/** Reads DynamoDB's clock. `sentAt` is when the request was sent, by this machine's monotonic clock. */
async function readTime({ client, name }: Table<ReadingClient>) {
  const command = new GetItemCommand({ TableName: name, Key: KEY, ProjectionExpression: 'pk' });
  let date: unknown;
  let sentAt = 0;
  command.middlewareStack.add(
    (next) => async (request) => {
      sentAt = performance.now();
      const result = await next(request);
      const { response } = result;
      if (isObject(response) && isObject(response.headers)) date = response.headers.date;
      return result;
    },
    { step: 'deserialize' },
  );
  await client.send(command);
  const second = Date.parse(String(date));
  if (Number.isNaN(second)) throw new Error("DynamoDB's response has no valid Date header.");
  return { time: second + 1000, sentAt };
}

/**
 * DynamoDB's time, because this machine's clock may be wrong. In milliseconds since 1970, rounded up to the end of the
 * second, because the `Date` header cuts off fractions.
 */
export const databaseTime = async (table: Table<ReadingClient>): Promise<number> =>
  (await readTime(table)).time;

/** Reads DynamoDB's time once, then counts by the monotonic clock, which nobody can set back. */
export async function startDatabaseClock(table: Table<ReadingClient>): Promise<() => number> {
  const { time, sentAt } = await readTime(table);
  return () => time + Math.floor(performance.now() - sentAt);
}
