import { applicationKeyPrefix, attributes } from '../../../functions/store/keys.ts';
import type { CommandIo } from '../cli/command.ts';
import { createFile } from '../cli/files.ts';
import { pluralize, showProgress, writeFully } from '../cli/output.ts';
import { onTable, scan } from '../cli/table.ts';
import type { TableOptions } from '../cli/table-options.ts';
import { lineOf } from './line-of-item.ts';

export interface ExportOptions extends TableOptions {
  output?: string | undefined;
  tenant?: string | undefined;
}

/** Writes the records of a table, or of one tenant, as the command line has it; returns the exit code. */
export async function exportTable(values: ExportOptions, io: CommandIo): Promise<number> {
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
  await work.finally(() => {
    progress.stop();
    io.stderr.write(`${report()}\n`);
  });
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
