// `npm run retention`: sets when the applications of a tenant expire.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import {
  applicationKeyPrefix,
  attributes,
  candidateIndex,
  candidateKey,
  parseKey,
} from '../../../functions/store/keys.ts';
import { expiryOf } from '../../writer/expiry.ts';
import { confirm } from '../cli/confirmation.ts';
import { nameOfItem } from '../cli/items.ts';
import { pluralize, quoted, showProgress } from '../cli/output.ts';
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../cli/run-command.ts';
import { onTable, scan, type Table } from '../cli/table.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import { Window } from '../cli/window.ts';
import { readDays } from './days.ts';

const { partitionKey, sortKey, timeToLive: expiresAt } = attributes;

const { removed } = revisionAttributes;

const usage = `Usage: npm run retention -- --tenant T --days N [--dry-run] [--yes]
                         [--data DIR | --table NAME [--region REGION]]

Sets "expires_at" on the applications of a tenant that have none: N days after "created_at", or now if
that is in the past. From then on the API returns 404, and DynamoDB deletes the item within a few days.
The command reads the whole table. It first asks you to type the tenant. If it stops, because of a
failure or Ctrl-C, it says what is done, and the same command finishes the rest. For new applications
npm run import has --expire-after-days. Removed applications, which have an expiry of their own, stay as they
are. An application with a malformed key is named and expires too. One without a valid "created_at", or that
is too large for another attribute, is named and left as it is.

  --tenant T       the tenant; "default" if the service has only one
  --days N         days from 1 to 36500
  --dry-run        change nothing, and count what would be changed
  --yes            do not ask for confirmation
${tableUsage(17)}
The exit code is 0 if all went well, 1 if not, if an application was named or if the tenant has none, 2 if
the command line was invalid.
`;

export const command = { usage, run };

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      ...tableOptions,
      tenant: { type: 'string' },
      days: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  });
  const { 'dry-run': isDryRun, days, tenant, ...others } = values;
  checkTableOptions(others);
  if (days === undefined) throw new WrongUsage('--days is required.');
  return {
    ...others,
    tenant: requireIdentifier('tenant', tenant),
    days: readDays('days', days),
    isDryRun,
  };
}

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  const { tenant, days, isDryRun } = values;
  const who = `tenant ${quoted(tenant)}`;
  const warning =
    `Applications of ${who} in ${values.table ?? 'the local table'} will expire ${days} days after ` +
    'they were created. Older ones will be deleted permanently.';
  if (!values.yes && !isDryRun) await confirm(warning, tenant, io);
  const counts = { found: 0, set: 0, expired: 0, malformed: 0, left: 0 };
  const report = () =>
    `${isDryRun ? 'Would set' : 'Set'} expires_at on ${pluralize(counts.set, 'application')}, ` +
    `${counts.expired} of them to the present time because the limit has passed. Left ` +
    `${pluralize(counts.left, 'application')} as they are. ${counts.malformed} had malformed keys.`;
  const progress = showProgress(io.stderr, report);
  const work = onTable(values, io, async (table, signal) => {
    const leave = (item: Item, why: string) => {
      counts.left += 1;
      return progress.print(`${nameOfItem(item)}: ${why}`);
    };
    const expire = async (item: Item) => {
      const now = Date.now();
      const parts = parseKey(item);
      if (parts !== undefined && parts.kind !== 'application') {
        return leave(item, 'the index lists it as an application, but its key does not');
      }
      if (parts === undefined) {
        counts.malformed += 1;
        await progress.print(nameOfItem(item));
      }
      const expiry = expiryOf(item.created_at, days, now);
      if (expiry === undefined) return leave(item, 'created_at is not a valid time');
      const outcome = isDryRun ? 'set' : await setExpiry(table, item, expiry);
      if (outcome === 'refused') return leave(item, 'it is too large for another attribute');
      if (outcome === 'set') {
        counts.set += 1;
        if (expiry <= now / 1000) counts.expired += 1;
      }
    };
    const window = new Window(signal);
    try {
      for await (const { Items: items = [] } of scan(table, ofTenant(tenant), signal)) {
        for (const { pk, sk, ...members } of items) {
          const hasExpiry = typeof members[expiresAt] === 'number';
          if (hasExpiry && members[removed] === true) continue;
          counts.found += 1;
          if (!hasExpiry) await window.begin(() => expire({ pk, sk, ...members }));
        }
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
  return counts.malformed + counts.left === 0 ? 0 : 1;
}

/** The keys and times of the tenant's applications, by their keys or by the index. */
function ofTenant(tenant: string) {
  const { pk, sk } = applicationKeyPrefix(tenant);
  const { [candidateIndex.partitionKey]: candidates } = candidateKey(tenant, '');
  return {
    ProjectionExpression: `${partitionKey}, ${sortKey}, created_at, ${expiresAt}, ${removed}`,
    FilterExpression:
      `(begins_with(${partitionKey}, :pk) AND begins_with(${sortKey}, :sk))` +
      ` OR begins_with(${candidateIndex.partitionKey}, :candidates)`,
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk, ':candidates': candidates },
  };
}

/**
 * Sets the expiry of an application that has none, or none that is a number.
 * @returns `changed` if another writer has removed, replaced or dated the application meanwhile; `refused` if
 *   DynamoDB cannot store it with another attribute.
 */
async function setExpiry(
  { client, name }: Table,
  item: Item,
  expiry: number,
): Promise<'set' | 'changed' | 'refused'> {
  try {
    await client.send(
      new UpdateCommand({
        TableName: name,
        Key: { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] },
        UpdateExpression: `SET ${expiresAt} = :expiry`,
        ConditionExpression: `NOT attribute_type(${expiresAt}, :number) AND created_at = :created`,
        ExpressionAttributeValues: {
          ':expiry': expiry,
          ':created': item.created_at,
          ':number': 'N',
        },
      }),
    );
    return 'set';
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationException') return 'refused';
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // A second attempt follows a lost response, most likely to an attempt that set it.
    const { attempts = 1 } = error.$metadata;
    return attempts > 1 ? 'set' : 'changed';
  }
}

await runMain(import.meta, command);
