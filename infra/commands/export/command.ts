// `npm run export`: writes the jobs and applications of a table to a file that can be imported.
import { type CommandIo, readOptions, requireIdentifier, runMain } from '../cli/command.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';

const usage = `Usage: npm run export -- --output FILE [--tenant T] [--data DIR | --table NAME [--region REGION]]
       npm run -s export -- [--tenant T] [--data DIR | --table NAME [--region REGION]]

Writes all jobs, with their history, and all applications to FILE, or to standard output, one JSON object
on each line, as npm run import reads them. Imported into an empty table, they make the same items. The
command reads the whole table, and takes no snapshot of it: stop writers first, or export again what they
changed. Applications that have expired are exported too, while DynamoDB still has them. An export that
stops is not complete: begin again.

  --output FILE    write to FILE, which must not exist and which only its owner may read
  --tenant T       export only the records of this tenant
${tableUsage(17)}
Records that would not round-trip are named, and exported with all that is stored of them; items that are
neither jobs nor applications are left out. The exit code is 0 if there were none of either, 1 if there
were, if nothing was found or if the export stopped, 2 if the command line was invalid.
`;

export const command = { usage, run };

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  const { exportTable } = await import('./export-table.ts');
  return exportTable(values, io);
}

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: { ...tableOptions, output: { type: 'string' }, tenant: { type: 'string' } },
  });
  checkTableOptions(values);
  if (values.tenant !== undefined) requireIdentifier('tenant', values.tenant);
  return values;
}

await runMain(import.meta, command);
