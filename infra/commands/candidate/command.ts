// `npm run candidate`: exports or erases all that is stored of a candidate.
import {
  type Command,
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../cli/command.ts';
import { filesOptions, filesUsage } from '../cli/files-bucket.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import type { SearchLimits } from './erase-candidate.ts';

const usage = `Usage: npm run candidate -- export --tenant T --id C [--output FILE] [--scan] [FILES] [TABLE]
       npm run candidate -- erase --tenant T --id C [--anonymise] [--yes] [--scan] [FILES] [TABLE]
       FILES is --files-bucket BUCKET [--whole-bucket]
       TABLE is --data DIR or --table NAME [--region REGION]

export writes all applications of a candidate as one JSON document, to standard output or to a new FILE
that only its owner may read. It holds the S3 URIs of files; the commands that print presigned URLs of
them are written to standard error.

erase deletes them permanently, and searches again until there are none. It first shows what it found
and asks you to type the candidate's id. If it stops, because of a failure or Ctrl-C, the same command
finishes the rest. Its output is the record of the erasure: times, jobs, counts and how it ended, even
if it failed; the only personal data are the ids and the S3 URIs of files. It names each
application and its files before it erases it, and erases nothing that it cannot record. It deletes no
files: its last lines are the commands that do. If you keep the output, use npm run -s, which adds
nothing to it.

There are commands only for files that the API would give to the tenant; the others are named.

  --tenant T             the tenant; "default" if the service has only one
  --id C                 the candidate: "user_id" in the API's response
  --output FILE          write the export to FILE, which must not exist
  --anonymise            keep the job, stage, score and day of each application under a random id
  --yes                  do not ask for confirmation
  --scan                 search the whole table instead of the index: slow, but certain to find
                         applications that were written a moment ago, or that lack the index's attribute
${filesUsage(23)}${tableUsage(23)}
The exit code is 0 if all went well, 1 if not, 2 if the command line was invalid. How to answer a request
for erasure or access, and what is stored elsewhere: docs/runbooks/erase-candidate.md.
`;

/** `npm run candidate`, which searches for so long. */
export const candidateCommand = (limits: SearchLimits): Command => ({
  usage,
  async run(io) {
    const values = readArguments(io);
    const { erase, write } = await import('./on-table.ts');
    return values.action === 'export' ? write(values, io) : erase(values, io, limits);
  },
});

export const command = candidateCommand({ pauseMs: 1000, idleSearches: 60 });

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
      anonymise: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
    },
  });
  const [action = '', ...others] = positionals;
  if (!['erase', 'export'].includes(action) || others.length > 0) {
    throw new WrongUsage('Choose one action: export or erase.');
  }
  const candidate = {
    tenant: requireIdentifier('tenant', values.tenant),
    id: requireIdentifier('id', values.id),
  };
  if (action === 'export' && (values.anonymise || values.yes)) {
    throw new WrongUsage('--anonymise and --yes can only be used with erase.');
  }
  if (action === 'erase' && values.output !== undefined) {
    throw new WrongUsage('--output can only be used with export.');
  }
  checkTableOptions(values);
  return { ...values, action, candidate };
}

await runMain(import.meta, command);
