import {
  type Command,
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  UsageError,
} from '../../command/run-command.ts';
import { filesOptions, filesUsage } from '../table/files-bucket.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../table/table-options.ts';
import { type SearchLimits, searchLimits } from './erase-candidate.ts';
import { eraseWithLog } from './erasure-log.ts';
import { exportCandidate } from './export-candidate.ts';

const usage = `Usage: npm run candidate -- export --tenant T --id C [--output FILE] [--scan] [FILES] [TABLE]
       npm run candidate -- erase --tenant T --id C [--yes] [--scan] [--new] [FILES] [TABLE]
       FILES is --files-bucket BUCKET [--whole-bucket]
       TABLE is --data DIR or --table NAME [--region REGION]

  --tenant T             the tenant; "default" if the service has only one
  --id C                 the candidate: "user_id" in the API's response
  --output FILE          write the export to FILE, which must not exist
  --yes                  do not ask for confirmation
  --scan                 search the whole table instead of the index: slow, but also finds applications that were
                         written a moment ago or lack the index's attribute
  --new                  erase what is newer than the recorded erasure too
${filesUsage(23)}${tableUsage(23)}
export writes all applications of a candidate as one JSON document to standard output, or to a new FILE that only
its owner may read. On standard error, it prints shell commands that make presigned URLs of the candidate's files.

erase deletes all applications of a candidate permanently:
  1. It shows what it found, and asks you to type the candidate's id.
  2. It records the erasure for at least 30 days, so that no older live write or import stores the candidate again.
  3. It waits ten seconds, because the index and writes under way lag behind.
  4. It removes the applications, and searches again until nothing is left. Before each removal, it prints the
     application and its files.
It deletes no files. Its last lines are shell commands that delete those that the API would give to the tenant; other
files are only named. For the local service, both actions name the folder of the files instead.

Keep the standard output of erase as your proof. It has times, jobs, counts and the result, also after a failure, and
no personal data but ids and S3 URIs. With npm run -s, npm adds no lines of its own. If the output cannot be written,
erase removes nothing more.

After a failure or Ctrl-C, erase finishes the requests under way and prints what is done. Run the same command again
for the rest. As long as an erasure of the candidate is recorded, the command completes that one, of which it prints the
time. It leaves and names an application that is newer, unless --new is given: then it records a new erasure.

Both actions include items with malformed keys, and name them. Items of somebody else that the search also finds are
only named.

Exit codes:
  0  every application was exported, or none is left to erase
  1  the action failed, an export found nothing, an item had a malformed key or named somebody else, or something newer
     than an erasure that was recorded before is stored
  2  the command line was invalid, or --yes is missing without a terminal; nothing was changed

docs/runbooks/erase-candidate.md says how to respond to a request, and where else data is stored.
`;

export const candidateCommand = (limits: SearchLimits): Command => ({
  usage,
  async run(io) {
    const options = readArguments(io);
    return options.action === 'export'
      ? exportCandidate(options, io)
      : eraseWithLog(options, io, limits);
  },
});

export const command = candidateCommand(searchLimits);

function readArguments({ args }: CommandIo) {
  const { values, positionals } = readOptions({
    args,
    allowPositionals: true,
    options: {
      ...tableOptions,
      ...filesOptions,
      tenant: { type: 'string' },
      id: { type: 'string' },
      output: { type: 'string' },
      yes: { type: 'boolean', default: false },
      new: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
    },
  });
  const [action = '', ...others] = positionals;
  if (!['erase', 'export'].includes(action) || others.length > 0) {
    throw new UsageError('Choose one action: export or erase.');
  }
  const candidate = {
    tenant: requireIdentifier('tenant', values.tenant),
    id: requireIdentifier('id', values.id),
  };
  if (action === 'export' && (values.yes || values.new)) {
    throw new UsageError('--yes and --new can only be used with erase.');
  }
  if (action === 'erase' && values.output !== undefined) {
    throw new UsageError('--output can only be used with export.');
  }
  checkTableOptions(values);
  const search = values.scan ? ('scan' as const) : ('index' as const);
  return { ...values, action, candidate, search };
}

await runMain(import.meta, command);
