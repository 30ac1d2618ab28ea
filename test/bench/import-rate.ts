// `npm run bench:import`: how fast `npm run import` writes applications, beside a bare loop of BatchWriteItem.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { OutputFile } from '../../infra/cli/files.ts';
import { startDatabase } from '../../infra/local/database.ts';
import { createTable } from '../../infra/local/table.ts';
import { readTemplate, synthesize } from '../../infra/local/template.ts';
import { sampleRecords } from '../../infra/operations/sample/sample-records.ts';
import manifest from '../../package.json' with { type: 'json' };

const TABLE = 'import-rate';
/** The flags of `npm run import`: without them, V8 collects garbage late. */
const LEAN = manifest.scripts.import.match(/--\S+/g) ?? [];
const SETTINGS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const program = fileURLToPath(new URL('import-contender.ts', import.meta.url));

/** What a contender, which has a process of its own, measured. */
interface Measured {
  seconds: number;
  /** The most memory that the process had, in MB. */
  memory: number;
}

type Contender = 'bare' | 'import';

/** Runs a contender in a process of its own, on a database of its own. */
async function measure(contender: Contender, file: string, assembly: string): Promise<Measured> {
  const database = await startDatabase((line) => process.stderr.write(`${line}\n`));
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const client = new DynamoDBClient({ endpoint: database.endpoint, ...SETTINGS });
  await createTable(client, readTemplate(assembly), TABLE);
  client.destroy();
  const child = spawn(process.execPath, [...LEAN, program, contender, file, TABLE], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  await database.stop();
  if (exitCode !== 0) throw new Error(`The contender ${contender} failed.`);
  return JSON.parse(out);
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

await compare(process.argv.slice(2));
