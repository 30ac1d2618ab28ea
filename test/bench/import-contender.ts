// One contender of `npm run bench:import`, in a process of its own: writes the applications of a file to a table,
// and prints how long that took and how much memory the process had.
import { createReadStream, readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BatchWriter } from '../../infra/operations/import/batch-writer.ts';
import { importRecords } from '../../infra/operations/import/import-records.ts';
import { readRecord } from '../../infra/operations/import/records.ts';

const IN_FLIGHT = 8;

const [contender = '', file = '', table = ''] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The loop: the items are in memory, ready to be sent. */
async function bare(): Promise<number> {
  const items = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => readRecord(Buffer.from(line)))
    .flatMap((record) => (record && 'item' in record ? [record.item] : []));
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, at) =>
    items.slice(25 * at, 25 * at + 25).map((Item) => ({ PutRequest: { Item } })),
  ).values();
  const started = performance.now();
  const worker = async () => {
    for (const batch of batches) {
      const command = new BatchWriteCommand({ RequestItems: { [table]: batch } });
      const { UnprocessedItems: left = {} } = await client.send(command);
      if (Object.keys(left).length > 0) throw new Error('The database left items unprocessed.');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return performance.now() - started;
}

/** The import, from the file on. */
async function imported(): Promise<number> {
  const started = performance.now();
  const writer = new BatchWriter({ client, name: table });
  const { refused } = await importRecords({ input: createReadStream(file), writer });
  if (refused > 0) throw new Error('The import refused lines.');
  return performance.now() - started;
}

const seconds = (await (contender === 'bare' ? bare() : imported())) / 1000;
// Of the operating system, in KB.
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ seconds, memory: maxRSS / 1024 }));
client.destroy();
