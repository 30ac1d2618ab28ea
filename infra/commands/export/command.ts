// `npm run export`: writes the jobs and applications of a table to a file that can be imported.
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../functions/domain/record.ts';
import { type Item, itemAttributes } from '../../../functions/store/items.ts';
import {
  applicationKeyPrefix,
  attributes,
  candidateIndex,
  jobKey,
  jobOf,
  tenantOf,
} from '../../../functions/store/keys.ts';
import { withoutNulls } from '../../writer/records.ts';
import { type CommandIo, readOptions, requireIdentifier, runMain } from '../cli/command.ts';
import { createFile } from '../cli/files.ts';
import { pluralize, quoted, showProgress, writeFully } from '../cli/output.ts';
import { onTable, scan } from '../cli/table.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';
import { readLine } from '../import/read-line.ts';

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
      await (file ? file.writeFile(lines) : writeFully(io.stdout, lines));
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
  const where = tenant === undefined ? 'in the table' : `of tenant ${quoted(tenant)}`;
  throw new Error(`No job and no application ${where} was found.`);
}

const ofTenant = (tenant: string | undefined) =>
  tenant === undefined
    ? {}
    : {
        FilterExpression: `begins_with(${attributes.partitionKey}, :tenant)`,
        ExpressionAttributeValues: { ':tenant': applicationKeyPrefix(tenant).pk },
      };

/**
 * The line from which an import makes the item. It has every attribute, even one that the import refuses.
 * @returns its text without the newline; its ids, as the `name` for the operator; the `difference`, which is why an
 *   import would not store the same item, or undefined if it would. Undefined if the item is neither a
 *   job nor an application.
 */
function lineOf(item: Item) {
  const [tenant, job] = [tenantOf(item), jobOf(item)];
  const where = `job ${quoted(job)} of tenant ${quoted(tenant)}`;
  if (item.sk === jobKey('', '').sk) {
    const { pk, sk, [itemAttributes.tenant]: _, [itemAttributes.job]: __, ...members } = item;
    const record = { type: 'job', tenant, id: job, ...inOrder(members) };
    return { kind: 'job' as const, name: where, ...checked(item, record) };
  }
  const prefix = applicationKeyPrefix('').sk;
  if (!item.sk.startsWith(prefix)) return undefined;
  const { pk, sk, [itemAttributes.tenant]: _, ...rest } = item;
  const { [candidateIndex.partitionKey]: indexed, ...members } = rest;
  const mark = indexed === undefined && { indexed: false };
  const record = { type: 'application', tenant, job_id: job, ...inOrder(members), ...mark };
  const candidate = decodeURIComponent(item.sk.slice(prefix.length));
  const name = `candidate ${quoted(candidate)}, ${where}`;
  return { kind: 'application' as const, name, ...checked(item, record) };
}

const inOrder = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** The text of a record, and how what an import would store of it differs from the item. */
function checked(item: Item, record: object) {
  // The members of each object below the record in one order: DynamoDB has none.
  const text = JSON.stringify(record, (key, value) =>
    key !== '' && isRecord(value) ? inOrder(value) : value,
  );
  // The bucket is that of the deployment to import into.
  const read = readLine(Buffer.from(text), { checkFile: () => undefined });
  if (read === undefined || 'reason' in read) {
    return { text, difference: `the import refuses it: ${read?.reason}` };
  }
  // A missing attribute is the same as a null.
  const stored = withoutNulls(item);
  const names = new Set([...Object.keys(stored), ...Object.keys(read.item)]);
  const different = [...names].filter((name) => !isDeepStrictEqual(stored[name], read.item[name]));
  if (different.length === 0) return { text, difference: undefined };
  return { text, difference: `the import stores it with other values of ${different.join(', ')}` };
}

await runMain(import.meta, command);
