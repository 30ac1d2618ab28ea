import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { applicationKeyPrefix, attributes } from '../../../functions/store/keys.ts';
import type { CommandIo } from '../cli/command.ts';
import { confirm } from '../cli/confirmation.ts';
import { pluralize, showProgress } from '../cli/output.ts';
import { onTable, scan, type Table } from '../cli/table.ts';
import type { TableOptions } from '../cli/table-options.ts';
import { Window } from '../cli/window.ts';
import { expiryOf } from './expiry.ts';

const { partitionKey, sortKey, timeToLive: expiresAt } = attributes;

type Item = Readonly<Record<string, unknown>>;

export interface RetentionOptions extends TableOptions {
  tenant: string;
  days: number;
  /** Whether to change nothing. */
  isDryRun: boolean;
  /** Whether not to ask. */
  yes: boolean;
}

/** Lets the applications of a tenant expire, as the command line has it; returns the exit code. */
export async function expireOnTable(values: RetentionOptions, io: CommandIo): Promise<number> {
  const { tenant, days, isDryRun } = values;
  const who = `tenant ${JSON.stringify(tenant)}`;
  const warning =
    `Applications of ${who} in ${values.table ?? 'the local table'} will expire ${days} days after ` +
    'they were created. Older ones will be deleted permanently.';
  if (!values.yes && !isDryRun) await confirm(warning, tenant, io);
  const counts = { found: 0, set: 0, expired: 0, withoutDate: 0 };
  const report = () =>
    `${isDryRun ? 'Would set' : 'Set'} expires_at on ${pluralize(counts.set, 'application')}, ` +
    `${counts.expired} of them to the present time because the limit has passed. Left ` +
    `${pluralize(counts.withoutDate, 'application')} without a valid created_at as they are.`;
  const progress = showProgress(io.stderr, report);
  const work = onTable(values, io, async (table, signal) => {
    const expire = async (item: Item) => {
      const now = Date.now();
      const expiry = expiryOf(item.created_at, days, now);
      if (expiry === undefined) counts.withoutDate += 1;
      else if (isDryRun || (await setExpiry(table, item, expiry))) {
        counts.set += 1;
        if (expiry <= now / 1000) counts.expired += 1;
      }
    };
    const window = new Window(signal);
    try {
      for await (const { Items: items = [] } of scan(table, ofTenant(tenant), signal)) {
        counts.found += items.length;
        const left = items.filter((item) => item[expiresAt] === undefined);
        for (const item of left) await window.begin(() => expire(item));
      }
    } finally {
      await window.settle();
    }
  });
  await work.finally(() => {
    progress.stop();
    io.stdout.write(`${report()}\n`);
  });
  if (counts.found === 0) throw new Error(`No application of ${who} was found. Check the tenant.`);
  return counts.withoutDate === 0 ? 0 : 1;
}

/** The keys and times of the tenant's applications. */
function ofTenant(tenant: string) {
  const { pk, sk } = applicationKeyPrefix(tenant);
  return {
    ProjectionExpression: `${partitionKey}, ${sortKey}, created_at, ${expiresAt}`,
    FilterExpression: `begins_with(${partitionKey}, :pk) AND begins_with(${sortKey}, :sk)`,
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
}

/** Returns whether it was set: another writer may have removed or replaced the application meanwhile. */
async function setExpiry({ client, name }: Table, item: Item, expiry: number): Promise<boolean> {
  try {
    await client.send(
      new UpdateCommand({
        TableName: name,
        Key: { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] },
        UpdateExpression: `SET ${expiresAt} = :expiry`,
        ConditionExpression: `attribute_not_exists(${expiresAt}) AND created_at = :created`,
        ExpressionAttributeValues: { ':expiry': expiry, ':created': item.created_at },
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // A second attempt follows a lost response, most likely to an attempt that set it.
    const { attempts = 1 } = error.$metadata;
    return attempts > 1;
  }
}
