// `npm run import`: writes the jobs and applications of a file to a table.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { runCommand, WrongUsage } from '../../cli/command.ts';
import { Interrupted, interruption } from '../../cli/interruption.ts';
import {
  checkTarget,
  openTarget,
  TARGET_USAGE,
  type Target,
  type TargetOptions,
  targetOptions,
} from '../../cli/target.ts';
import { terminal } from '../../cli/terminal.ts';
import { readDays } from '../retention/expiry.ts';
import { explainFailure } from './explain-failure.ts';
import { type ImportCounts, ImportStopped, importRecords } from './import-records.ts';

const USAGE = `Usage: npm run import -- FILE [--data DIR]
       npm run import -- FILE --table NAME [--region REGION]

Writes the jobs and applications of FILE (- for standard input), a JSON object on each line, to the
table of the local service, or with --table to one in AWS. A line that is wrong is reported and
skipped. The exit code is 0 if every line was written, 1 if not or if there was none, 2 if the command
was wrong.

  {"type":"job","id":"4007","status":"draft"}
  {"type":"application","job_id":"4007", and the members of the API's answer}

  --expire-after-days N  an application without "expires_at" expires N days after "created_at"
${TARGET_USAGE}
A "tenant" may be named on each line; without it, it is "default". Of an application, what the API
may answer as null or [] may be left out, and "expires_at" (seconds since 1970) may be added.

A record that exists is replaced, and of a job its version and history too: this is for loading
data. To change the status of a job, call the API.

An import that stops, by a failure or Ctrl-C, says from which line to go on:

  tail -n +LINE FILE | npm run import -- -
`;

/** What to read, and its length in bytes where it has one. */
interface Source {
  input: Readable;
  bytes?: number;
}

await runCommand(USAGE, main);

async function main(): Promise<number> {
  const { help, file, expireAfterDays, ...options } = readArguments();
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const source = await openInput(file);
  const { jobs, applications, refused } = await run(source, openTarget(options), expireAfterDays);
  if (jobs + applications + refused === 0) {
    const from = file === '-' ? 'Standard input' : `The file ${file}`;
    throw new Error(`${from} has no record: nothing has been imported.`);
  }
  return refused === 0 ? 0 : 1;
}

async function run(
  { input, bytes }: Source,
  { client, tableName }: Target,
  expireAfterDays?: number,
): Promise<ImportCounts> {
  const { stop, ...told } = terminal(process.stderr, bytes);
  const signal = interruption();
  try {
    const documents = DynamoDBDocumentClient.from(client);
    const counts = await importRecords({
      input,
      client: documents,
      tableName,
      expireAfterDays,
      signal,
      ...told,
    });
    stop();
    report(counts);
    return counts;
  } catch (error) {
    stop();
    if (!(error instanceof ImportStopped)) throw error;
    report(error.counts);
    throw new Error(`${error.message} ${explain(error.cause, tableName)}`, { cause: error });
  } finally {
    client.destroy();
  }
}

function explain(error: unknown, tableName: string): string {
  return error instanceof Interrupted ? error.message : explainFailure(error, tableName);
}

function report({ jobs, applications, refused }: ImportCounts): void {
  process.stdout.write(
    `${jobs} jobs and ${applications} applications written, ${refused} lines refused.\n`,
  );
}

interface Arguments extends TargetOptions {
  help: boolean;
  file: string;
  expireAfterDays?: number;
}

function readArguments(): Arguments {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      ...targetOptions,
      'expire-after-days': { type: 'string' },
    },
  });
  const { help, 'expire-after-days': text, ...options } = values;
  const [file = '', ...others] = positionals;
  if (help) return { help, file };
  if (file === '' || others.length > 0) throw new WrongUsage('Name one FILE, or - .');
  checkTarget(options);
  if (text === undefined) return { help, file, ...options };
  const expireAfterDays = readDays(text);
  if (expireAfterDays === undefined) {
    throw new WrongUsage('--expire-after-days needs a whole number from 1 to 36500.');
  }
  return { help, file, ...options, expireAfterDays };
}

async function openInput(name: string): Promise<Source> {
  if (name === '-') return { input: process.stdin };
  // npm runs a script in the project's folder, wherever it was typed.
  const path = resolve(process.env.INIT_CWD ?? '.', name);
  const file: FileHandle = await open(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new WrongUsage(`The file ${path} ${why}.`);
  });
  const stats = await file.stat();
  if (stats.isDirectory()) {
    await file.close();
    throw new WrongUsage(`${path} is a folder, not a file.`);
  }
  return { input: file.createReadStream(), ...(stats.isFile() && { bytes: stats.size }) };
}
