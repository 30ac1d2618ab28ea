import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { applicationKeyPrefix, attributes, type Key } from '../../../functions/store/keys.ts';
import type { Table } from '../../cli/table.ts';
import { type ExportedLine, lineOf } from './line-of-item.ts';

const { partitionKey } = attributes;

/** What to export. */
export interface ExportOptions {
  table: Table;
  /** Whose records; by default those of all tenants. */
  tenant?: string | undefined;
  /** The key to continue after; by default the export begins at the start of the table. */
  after?: Key | undefined;
  /** Called for each record that an import would not store as it is. */
  onDifference: (line: ExportedLine) => void;
  /** Stops the export after a page, with its reason. */
  signal?: AbortSignal | undefined;
}

/** What has been exported so far. */
export interface ExportCounts {
  job: number;
  application: number;
  /** The records among them that an import would not store as they are. */
  different: number;
  /** Items that are neither jobs nor applications, and were left out. */
  unknown: number;
}

/**
 * Reads a table, consistently and a page at a time, and gives the lines of each page: those of a file to
 * import, with the newlines. It is no snapshot: of what is written meanwhile it may have a part.
 * @param counts is kept up to date.
 */
export async function* exportLines(
  options: ExportOptions,
  counts: ExportCounts,
): AsyncGenerator<string> {
  const { onDifference, signal } = options;
  for await (const { Items: items = [] } of pagesOf(options)) {
    signal?.throwIfAborted();
    let lines = '';
    for (const { pk, sk, ...members } of items) {
      const line = lineOf({ pk, sk, ...members });
      counts[line?.kind ?? 'unknown'] += 1;
      if (line === undefined) continue;
      lines += `${line.text}\n`;
      if (line.difference === undefined) continue;
      counts.different += 1;
      onDifference(line);
    }
    if (lines !== '') yield lines;
  }
}

function pagesOf({ table: { client, name }, tenant, after }: ExportOptions) {
  return paginateScan(
    { client, ...(after && { startingToken: after }) },
    {
      TableName: name,
      ConsistentRead: true,
      ...(tenant !== undefined && {
        FilterExpression: `begins_with(${partitionKey}, :tenant)`,
        ExpressionAttributeValues: { ':tenant': applicationKeyPrefix(tenant)[partitionKey] },
      }),
    },
  );
}
