// `npm run retention`: sets when the applications of a tenant expire.
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../cli/command.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
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
${tableUsage(17)}
The exit code is 0 if all went well, 1 if not or if the tenant has no application, 2 if the command line
was invalid.
`;

export const command = { usage, run };

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  const { expireOnTable } = await import('./expire-applications.ts');
  return expireOnTable(values, io);
}

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
