import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

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

/** What a command is given beside its arguments. */
export interface Run {
  input?: string | Buffer | Readable;
  env?: NodeJS.ProcessEnv;
}

/** Starts an operator's command, in another folder than the project's. */
export function start(
  command: string,
  args: string[],
  { input = '', env = environment() }: Run = {},
): ChildProcessWithoutNullStreams {
  const script = fileURLToPath(
    new URL(
      `../../infra/${command === 'token' ? 'local/token' : `operations/${command}/command`}.ts`,
      import.meta.url,
    ),
  );
  const child = spawn(process.execPath, [script, ...args], { env, cwd: tmpdir() });
  child.stdin.on('error', () => undefined);
  if (input instanceof Readable) input.pipe(child.stdin);
  else child.stdin.end(input);
  return child;
}

/** Runs an operator's command to its end. */
export async function runCommand(command: string, args: string[], run: Run = {}) {
  const child = start(command, args, run);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exit, out, err };
}
