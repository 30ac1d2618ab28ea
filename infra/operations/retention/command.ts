// `npm run retention`: sets when the applications of a tenant expire.
import { parseArgs } from 'node:util';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isIdentifier } from '../../../functions/domain/identifier.ts';
import { runCommand, WrongUsage } from '../../cli/command.ts';
import { confirm } from '../../cli/confirmation.ts';
import { Interrupted, interruption } from '../../cli/interruption.ts';
import { checkTarget, openTarget, TARGET_USAGE, targetOptions } from '../../cli/target.ts';
import { explainFailure } from '../import/explain-failure.ts';
import {
  expireApplications,
  type RetentionCounts,
  type RetentionOptions,
  RetentionStopped,
} from './expire-applications.ts';
import { readDays } from './expiry.ts';

const USAGE = `Usage: npm run retention -- --tenant T --days N [--dry-run] [--yes]

Sets "expires_at" on the applications of a tenant that have none: so many days after "created_at", or
now where that is over. From then on the API answers 404, and DynamoDB deletes the item within a few
days. It reads the whole table. It asks to type the tenant before; a run that stops, by a failure or
Ctrl-C, says what is done and is finished by the same command. New applications:

  npm run import -- FILE --expire-after-days N

  --tenant T       the tenant; "default" where the service has one alone
  --days N         days from 1 to 36500
  --dry-run        change nothing, and count what would be changed
  --yes            do not ask
${TARGET_USAGE}
The exit code is 0 if all went well, 1 if not, 2 if the command was wrong.
`;

/** A table that throttles is asked for up to a minute or so. */
const ATTEMPTS = 10;

await runCommand(USAGE, main);

async function main(): Promise<number> {
  const { help, tenant, days, isDryRun, yes, ...options } = readArguments();
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { client, tableName } = openTarget(options, ATTEMPTS);
  try {
    const warning =
      `Lets the applications of tenant ${JSON.stringify(tenant)} in the table ${tableName} expire ` +
      `${days} days after they were made; the older ones are deleted for good.`;
    if (!yes && !isDryRun) await confirm(warning, tenant);
    const documents = DynamoDBDocumentClient.from(client);
    const retention = { client: documents, tableName, tenant, days, isDryRun };
    return await run({ ...retention, signal: interruption() });
  } finally {
    client.destroy();
  }
}

async function run(retention: RetentionOptions): Promise<number> {
  const { tableName, isDryRun } = retention;
  try {
    const counts = await expireApplications(retention);
    report(counts, isDryRun);
    return counts.undated === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RetentionStopped)) throw error;
    report(error.counts, isDryRun);
    const { cause } = error;
    const why = cause instanceof Interrupted ? cause.message : explainFailure(cause, tableName);
    throw new Error(`Stopped: run the same command again. ${why}`, { cause });
  }
}

function report({ set, over, undated }: RetentionCounts, isDryRun: boolean): void {
  const [get, are] = isDryRun ? ['would get', 'would be'] : ['have got', 'are'];
  process.stdout.write(
    `${set} applications ${get} an end, ${over} of them ${are} over; ${undated} have no date.\n`,
  );
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      ...targetOptions,
      help: { type: 'boolean', default: false },
      tenant: { type: 'string', default: '' },
      days: { type: 'string', default: '' },
      'dry-run': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  });
  const { 'dry-run': isDryRun, days: text, ...others } = values;
  const days = readDays(text) ?? 0;
  if (values.help) return { ...others, days, isDryRun };
  if (!isIdentifier(values.tenant)) {
    throw new WrongUsage('--tenant is needed: 1 to 256 bytes without control characters.');
  }
  if (days === 0) throw new WrongUsage('--days is needed: a whole number from 1 to 36500.');
  checkTarget(values);
  return { ...others, days, isDryRun };
}
