// `npm run retention`: sets when the applications of a tenant expire.
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../../cli/command.ts';
import { confirm } from '../../cli/confirmation.ts';
import { explainFailure } from '../../cli/failure.ts';
import { counted, EVERY_MS, reportEvery } from '../../cli/output.ts';
import {
  checkTableOptions,
  MAX_ATTEMPTS,
  openTable,
  TABLE_USAGE,
  tableOptions,
} from '../../cli/table.ts';
import {
  expireApplications,
  type RetentionCounts,
  RetentionStopped,
} from './expire-applications.ts';
import { readDays } from './expiry.ts';

const usage = `Usage: npm run retention -- --tenant T --days N [--dry-run] [--yes]
                         [--data DIR | --table NAME [--region REGION]]

Sets "expires_at" on the applications of a tenant that have none: N days after "created_at", or now if
that is in the past. From then on the API answers 404, and DynamoDB deletes the item within a few days.
The command reads the whole table. It first asks you to type the tenant. If it stops, because of a
failure or Ctrl-C, it says what is done, and the same command finishes the rest. For new applications:

  npm run import -- FILE --expire-after-days N

  --tenant T       the tenant; "default" if the service has only one
  --days N         days from 1 to 36500
  --dry-run        change nothing, and count what would be changed
  --yes            do not ask for confirmation
${TABLE_USAGE}
The exit code is 0 if all went well, 1 if not, 2 if the command line was wrong.
`;

/** `npm run retention`. */
export const command = { usage, run };

async function run(io: CommandIo): Promise<number> {
  const { tenant, days, isDryRun, yes, ...options } = readArguments(io);
  using table = openTable(options, io, { maxAttempts: MAX_ATTEMPTS, retryMode: 'adaptive' });
  const warning =
    `Applications of tenant ${JSON.stringify(tenant)} in the table ${table.name} will expire ` +
    `${days} days after they were created. Older ones will be deleted permanently.`;
  if (!yes && !isDryRun) await confirm(warning, tenant, io);
  const signal = io.interruption();
  table.stopOn(signal);
  let progress = 'Reading the table';
  const onProgress = (read: number, counts: RetentionCounts) => {
    progress = `${counted(read, 'item')} read. ${sentenceOf(counts, isDryRun)}`;
  };
  const lines = reportEvery(EVERY_MS, io.stderr, () => progress);
  try {
    const counts = await expireApplications({
      table,
      tenant,
      days,
      isDryRun,
      onProgress,
      signal,
    }).finally(lines.stop);
    io.stdout.write(reportOf(counts, isDryRun));
    return counts.withoutDate === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RetentionStopped)) throw error;
    io.stdout.write(reportOf(error.counts, isDryRun));
    const why = explainFailure(error.cause, table.name);
    throw new Error(`Stopped before the end: run the same command again. ${why}`, { cause: error });
  }
}

const sentenceOf = ({ set, expired }: RetentionCounts, isDryRun: boolean) =>
  `${isDryRun ? 'Would set' : 'Set'} expires_at on ${counted(set, 'application')}, ` +
  `${expired} of them to the present time because the limit has passed.`;

const reportOf = (counts: RetentionCounts, isDryRun: boolean) =>
  `${sentenceOf(counts, isDryRun)} Left ${counted(counts.withoutDate, 'application')} without a valid ` +
  'created_at as they are.\n';

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

await runMain(import.meta, command);
