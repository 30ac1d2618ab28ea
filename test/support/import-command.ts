import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../infra/commands/import.ts', import.meta.url));

/** The file with the sample data. */
export const SAMPLE = fileURLToPath(
  new URL('../../infra/local/sample-data.ndjson', import.meta.url),
);

/** The environment of an operator whose SDK finds the embedded database, and nothing else of AWS. */
export const environment = () => ({
  PATH: process.env.PATH,
  AWS_ENDPOINT_URL_DYNAMODB: inject('databaseEndpoint'),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/does/not/exist',
  AWS_SHARED_CREDENTIALS_FILE: '/does/not/exist',
});

interface Run {
  input?: string | Buffer;
  env?: NodeJS.ProcessEnv;
}

/** Runs `npm run import` with these arguments. */
export async function run(args: string[], { input = '', env = environment() }: Run = {}) {
  const child = spawn(process.execPath, [COMMAND, ...args], { env, cwd: tmpdir() });
  child.stdin.on('error', () => undefined).end(input);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exit, out, err };
}
