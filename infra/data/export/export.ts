import { applicationKeyPrefix, erasureKey, keyAttributes } from '../../../functions/store/keys.ts';
import { createFile } from '../../command/operator-files.ts';
import { pluralize, quoted, showProgress, writeFully } from '../../command/output.ts';
import {
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  UsageError,
} from '../../command/run-command.ts';
import { scan } from '../records/table.ts';
import { nameOfItem } from '../table/item-name.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../table/table-options.ts';
import { withTable } from '../table/with-table.ts';
import { lineOf } from './record-line.ts';

const usage = `Usage: npm run export -- --output FILE [--tenant T] [--segment N/M] [TABLE]
       npm run -s export -- [--tenant T] [--segment N/M] [TABLE]
       TABLE is --data DIR or --table NAME [--region REGION]

Writes all jobs with their history and all applications to FILE or to standard output, as lines that npm run import
reads. Imported into an empty table, they make the same items, except for an "expires_at" more than four years back.

  --output FILE    write to FILE, which must not exist; only its owner may read it
  --tenant T       export only the records of this tenant
  --segment N/M    read only the Nth of M parts of the table, such as 1/4; run M processes for the whole table
${tableUsage(17)}
Removals of applications and erasures of candidates are exported too: after an import, they keep older writes from
storing the data again. So are expired applications, as long as DynamoDB has them.

The command reads the whole table, and the export is not a snapshot. Stop writers first, or export again what they
have changed. After a failure or Ctrl-C, the export is not complete: begin again.

A record that an import would refuse or change is named, and exported with all its attributes, but with null for an
optional value that the import would refuse, such as a telephone number without a country prefix. A stored set becomes a
list, and bytes and a number that JavaScript would round become texts. An item with a malformed key is named, and left
out.

Exit codes:
  0  an import would store the same items
  1  a record or an item was named, nothing was found (without --segment), or the export stopped
  2  the command line was invalid, and nothing was read
`;

export const command = { usage, run };

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      ...tableOptions,
      output: { type: 'string' },
      tenant: { type: 'string' },
      segment: { type: 'string' },
    },
  });
  checkTableOptions(values);
  if (values.tenant !== undefined) requireIdentifier('tenant', values.tenant);
  return { ...values, part: readSegment(values.segment) };
}

/** Limit of a parallel scan (DynamoDB API Reference, Scan: `TotalSegments`). */
const MAX_SEGMENTS = 1_000_000;

function readSegment(text: string | undefined) {
  if (text === undefined) return {};
  const [, segment, segments] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).map(Number);
  if (segment && segments && segment <= segments && segments <= MAX_SEGMENTS) {
    return { Segment: segment - 1, TotalSegments: segments };
  }
  throw new UsageError(
    `--segment must be N/M, such as 1/4: N from 1 to M, and M up to ${MAX_SEGMENTS}.`,
  );
}

async function run(io: CommandIo): Promise<undefined> {
  const values = readArguments(io);
  const { output, tenant, part } = values;
  const counts = { job: 0, application: 0, removal: 0, erasure: 0 };
  /** `different`: an import would refuse or change the record. */
  const faults = { different: 0, malformed: 0 };
  const report = () =>
    `${pluralize(counts.job, 'job')} and ${pluralize(counts.application, 'application')} exported.`;
  await using file = output === undefined ? undefined : await createFile(output, io);
  const progress = showProgress(io.stderr, report);
  const work = withTable(values, io, async (table, signal) => {
    for await (const { Items: items } of scan(table, { ...ofTenant(tenant), ...part }, signal)) {
      let lines = '';
      for (const { pk, sk, ...members } of items) {
        const line = lineOf({ pk, sk, ...members });
        if (line === undefined) {
          faults.malformed += 1;
          await progress.print(`${nameOfItem({ pk, sk })}: left out`);
          continue;
        }
        counts[line.kind] += 1;
        lines += `${line.text}\n`;
        if (line.difference === undefined) continue;
        faults.different += 1;
        await progress.print(`${nameOfItem({ pk, sk })}: ${line.difference}`);
      }
      await (file ? file.writeFile(lines) : writeFully(io.stdout, lines));
    }
  });
  await work.finally(() => progress.stop());
  io.stderr.write(`${report()}\n`);
  if (counts.removal + counts.erasure > 0) {
    const removals = pluralize(counts.removal, 'removal');
    io.stderr.write(`Also exported: ${removals} and ${pluralize(counts.erasure, 'erasure')}.\n`);
  }
  const found = [
    ...(faults.different > 0
      ? [`An import would refuse or change ${pluralize(faults.different, 'record')}.`]
      : []),
    ...(faults.malformed > 0
      ? [`${pluralize(faults.malformed, 'item')} left out because of malformed keys.`]
      : []),
  ];
  const isEmpty = Object.values(counts).every((count) => count === 0);
  // One segment may well be empty.
  if (isEmpty && values.segment === undefined) {
    const where = tenant === undefined ? 'in the table' : `of tenant ${quoted(tenant)}`;
    found.push(`Found no job or application ${where}.`);
  }
  if (found.length > 0) throw new Error(found.join('\n'));
}

const ofTenant = (tenant: string | undefined) =>
  tenant === undefined
    ? {}
    : {
        FilterExpression: `begins_with(${keyAttributes.partitionKey}, :jobs) OR begins_with(${keyAttributes.partitionKey}, :erasures)`,
        ExpressionAttributeValues: {
          ':jobs': applicationKeyPrefix(tenant).pk,
          ':erasures': erasureKey(tenant, '').pk,
        },
      };

await runMain(import.meta, command);
