// Checks the installed writer package against the vectors, and prints the differences.
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const [table, packageName] = process.argv.slice(2);
const { InvalidRecord, recordWriter } = await import(packageName);
const { stored, refused } = JSON.parse(await readFile('record-vectors.json', 'utf8'));
const client = new DynamoDBClient({});
const documents = DynamoDBDocumentClient.from(client);
const differences = [];

async function outcomeOf({ call, settings, now, record, revision }) {
  const clock = () => ({ date: now, monotonic: 0 });
  const writer = recordWriter({ client, table, clock, ...settings });
  const entries = Object.entries(record).map(([name, value]) => {
    const isShort = Array.isArray(value?.repeat);
    return [name, isShort ? value.repeat[0].repeat(value.repeat[1]) : value];
  });
  try {
    return await writer[call](Object.fromEntries(entries), revision);
  } catch (error) {
    if (error instanceof InvalidRecord) return error.faults;
    throw error;
  }
}

for (const vector of stored) {
  const { pk, sk } = vector.item;
  const request = { TableName: table, Key: { pk, sk }, ConsistentRead: true };
  const outcome = await outcomeOf(vector);
  const { Item: item } = await documents.send(new GetCommand(request));
  await documents.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
  if (
    !['stored', 'removed', 'created'].includes(outcome) ||
    !isDeepStrictEqual(item, vector.item)
  ) {
    differences.push({ vector, outcome, item });
  }
}
for (const vector of refused) {
  const outcome = await outcomeOf(vector);
  if (!isDeepStrictEqual(outcome, vector.faults)) differences.push({ vector, outcome });
}
process.stdout.write(JSON.stringify({ differences, checked: stored.length + refused.length }));
