// `npm run export`: writes the jobs and applications of a table to a file that can be imported.
import { applicationKeyPrefix, attributes } from '../../../functions/store/keys.ts';
import { type CommandIo, readOptions, requireIdentifier, runMain } from '../cli/command.ts';
import { createFile } from '../cli/files.ts';
import { pluralize, showProgress, writeFully } from '../cli/output.ts';
import { onTable, scan } from '../cli/table.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import { lineOf } from './line-of-item.ts';

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

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: { ...tableOptions, output: { type: 'string' }, tenant: { type: 'string' } },
  });
  checkTableOptions(values);
  if (values.tenant !== undefined) requireIdentifier('tenant', values.tenant);
  return values;
}

async function run(io: CommandIo): Promise<number> {
  const values = readArguments(io);
  const { output, tenant } = values;
  /** Records that would not round-trip, and items that are neither jobs nor applications. */
  const counts = { job: 0, application: 0, different: 0, unknown: 0 };
  const report = () =>
    `${pluralize(counts.job, 'job')} and ${pluralize(counts.application, 'application')} exported.`;
  await using file = output === undefined ? undefined : await createFile(output, io);
  const progress = showProgress(io.stderr, report);
  const work = onTable(values, io, async (table, signal) => {
    for await (const { Items: items = [] } of scan(table, ofTenant(tenant), signal)) {
      let lines = '';
      for (const { pk, sk, ...members } of items) {
        const line = lineOf({ pk, sk, ...members });
        counts[line?.kind ?? 'unknown'] += 1;
        if (line === undefined) continue;
        lines += `${line.text}\n`;
        if (line.difference === undefined) continue;
        counts.different += 1;
        await progress.print(`${line.name}: ${line.difference}`);
      }
      if (lines !== '') await (file ? file.writeFile(lines) : writeFully(io.stdout, lines));
    }
  });
  await work.finally(() => progress.stop());
  io.stderr.write(`${report()}\n`);
  if (counts.unknown > 0) {
    io.stderr.write(
      `${pluralize(counts.unknown, 'item')} left out: neither job nor application.\n`,
    );
  }
  if (counts.job + counts.application > 0) return counts.different + counts.unknown === 0 ? 0 : 1;
  const where = tenant === undefined ? 'in the table' : `of tenant ${JSON.stringify(tenant)}`;
  throw new Error(`No job and no application ${where} was found.`);
}

const ofTenant = (tenant: string | undefined) =>
  tenant === undefined
    ? {}
    : {
        FilterExpression: `begins_with(${attributes.partitionKey}, :tenant)`,
        ExpressionAttributeValues: { ':tenant': applicationKeyPrefix(tenant).pk },
      };

await runMain(import.meta, command);
