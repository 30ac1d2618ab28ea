// `npm run bench:import`: how fast `npm run import` writes applications, beside a bare loop of BatchWriteItem.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { OutputFile } from '../../infra/cli/files.ts';
import { startDatabase } from '../../infra/local/database.ts';
import { createTable } from '../../infra/local/table.ts';
import { readTemplate, synthesize } from '../../infra/local/template.ts';
import { BatchWriter } from '../../infra/operations/import/batch-writer.ts';
import { importRecords } from '../../infra/operations/import/import-records.ts';
import { readRecord } from '../../infra/operations/import/records.ts';
import { sampleRecords } from '../../infra/operations/sample/sample-records.ts';

const TABLE = 'import-rate';
const IN_FLIGHT = 8;

/** What a contender, which has a process of its own, measured. */
interface Measured {
  seconds: number;
  /** The most memory that the process had, in MB. */
  memory: number;
}

const contenders = { bare, import: imported };

/** The loop: the items are in memory, ready to be sent. */
async function bare(client: DynamoDBDocumentClient, file: string): Promise<number> {
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
      const command = new BatchWriteCommand({ RequestItems: { [TABLE]: batch } });
      const { UnprocessedItems: left = {} } = await client.send(command);
      if (Object.keys(left).length > 0) throw new Error('The database left items unprocessed.');
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return performance.now() - started;
}

/** The import, from the file on. */
async function imported(client: DynamoDBDocumentClient, file: string): Promise<number> {
  const started = performance.now();
  const writer = new BatchWriter({ client, name: TABLE });
  const { refused } = await importRecords({ input: createReadStream(file), writer });
  if (refused > 0) throw new Error('The import refused lines.');
  return performance.now() - started;
}

type Contender = keyof typeof contenders;

/** Runs a contender in a process of its own, on a database of its own. */
async function measure(contender: Contender, file: string, assembly: string): Promise<Measured> {
  const database = await startDatabase();
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const child = spawn(process.execPath, [import.meta.filename, contender, file, assembly], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  await database.stop();
  if (exitCode !== 0) throw new Error(`The contender ${contender} failed.`);
  return JSON.parse(out);
}

async function contend(contender: Contender, file: string, assembly: string): Promise<void> {
  const client = new DynamoDBClient({});
  await createTable(client, readTemplate(assembly), TABLE);
  const milliseconds = await contenders[contender](DynamoDBDocumentClient.from(client), file);
  client.destroy();
  const { maxRSS } = process.resourceUsage();
  const measured: Measured = { seconds: milliseconds / 1000, memory: maxRSS / 1024 };
  process.stdout.write(JSON.stringify(measured));
}

async function compare(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pairs: { type: 'string', default: '7' },
      applications: { type: 'string', default: '20000' },
    },
  });
  const applications = Number(values.applications);
  const folder = mkdtempSync(join(tmpdir(), 'import-rate-'));
  const assembly = join(folder, 'assembly');
  await synthesize({}, assembly);
  const files = { one: join(folder, 'one.ndjson'), four: join(folder, 'four.ndjson') };
  await writeSample(files.one, applications);
  await writeSample(files.four, 4 * applications);
  const ratios: number[] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    // In turn, so that neither is always first.
    const order: Contender[] = pair % 2 === 0 ? ['bare', 'import'] : ['import', 'bare'];
    const rate: Record<string, number> = {};
    for (const contender of order) {
      const { seconds, memory } = await measure(contender, files.one, assembly);
      rate[contender] = applications / seconds;
      print(`${contender}: ${rate[contender].toFixed(0)} a second, ${memory.toFixed(0)} MB`);
    }
    ratios.push((rate.import ?? 0) / (rate.bare ?? 0));
  }
  ratios.sort((one, other) => one - other);
  print(`import / bare: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`);
  print(`median: ${ratios[Math.floor(ratios.length / 2)]?.toFixed(2)}`);
  const { memory } = await measure('import', files.four, assembly);
  print(`import of ${4 * applications}: ${memory.toFixed(0)} MB`);
  rmSync(folder, { recursive: true });
}

async function writeSample(path: string, applications: number): Promise<void> {
  await using file = await OutputFile.create(path);
  for (const record of sampleRecords({ jobs: 1000, applications, seed: 1, tenant: 'default' })) {
    if (record.type === 'application') await file.write(`${JSON.stringify(record)}\n`);
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`);

const [first = '', file = '', assembly = ''] = process.argv.slice(2);
if (first === 'bare' || first === 'import') await contend(first, file, assembly);
else await compare(process.argv.slice(2));
