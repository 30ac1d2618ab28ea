import { GetItemCommand, type GetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isObject } from '../../functions/domain/own-value.ts';
import { elapsed, systemClock } from '../../functions/platform/clock.ts';
import { erasureKey } from '../../functions/store/keys.ts';
import { DEFAULT_TENANT } from './records.ts';
import type { Table } from './table.ts';

interface ReadingClient {
  send(command: GetItemCommand): Promise<GetItemCommandOutput>;
}

/** Any key will do: only the response's header counts. */
const KEY = marshall({ ...erasureKey(DEFAULT_TENANT, 'time') });

/**
 * Milliseconds since 1970, rounded down to a second: from the response's `Date` header, because this machine's clock may
 * be wrong.
 */
export async function databaseTime({ client, name }: Table<ReadingClient>): Promise<number> {
  const command = new GetItemCommand({ TableName: name, Key: KEY, ProjectionExpression: 'pk' });
  let date: unknown;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { response } = result;
      if (isObject(response) && isObject(response.headers)) date = response.headers.date;
      return result;
    },
    { step: 'deserialize' },
  );
  await client.send(command);
  const time = Date.parse(String(date));
  if (Number.isNaN(time)) throw new Error('DynamoDB sent a response without a time.');
  return time;
}

/** DynamoDB's time, read once and then counted by this machine's clocks. */
export async function startDatabaseClock(table: Table<ReadingClient>): Promise<() => number> {
  const start = await databaseTime(table);
  const startedAt = systemClock();
  return () => start + Math.floor(elapsed(startedAt, systemClock()));
}
