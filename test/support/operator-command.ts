import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Command, type CommandIo, execute } from '../../infra/command/run-command.ts';
import { command as importCommand } from '../../infra/data/import/import.ts';
import type { Fault } from './faults.ts';
import { FaultyProxy } from './proxy.ts';
import { databaseEnvironment } from './table.ts';

/** Limits the SDK to the embedded database: no profile, no instance metadata. */
export const environment = () => ({
  PATH: process.env.PATH,
  ...databaseEnvironment(),
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/does/not/exist',
  AWS_SHARED_CREDENTIALS_FILE: '/does/not/exist',
});

export const SAMPLE = fileURLToPath(
  new URL('../../infra/local/sample-data.ndjson', import.meta.url),
);

export interface Run {
  input?: string | Buffer | Readable;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  isTTY?: boolean;
}

export interface Ended {
  exitCode: number | null;
  out: string;
  err: string;
}

/** Runs the command in this process, unlike `start`. */
export async function runCommand(
  command: Command,
  args: string[],
  { input = '', env, signal = new AbortController().signal, isTTY = false }: Run = {},
): Promise<Ended> {
  const io = {
    args,
    env: env ?? environment(),
    stdin: input instanceof Readable ? input : Readable.from([Buffer.from(input)]),
    stdout: new PassThrough(),
    stderr: Object.assign(new PassThrough(), { isTTY }),
    abortOnSignal: () => signal,
  };
  return env === undefined ? ended(command, io) : withEnvironment(env, () => ended(command, io));
}

export async function runAmid(
  faults: readonly Fault[],
  run: (env: NodeJS.ProcessEnv) => Promise<Ended>,
) {
  const proxy = await FaultyProxy.start();
  proxy.expect(...faults);
  const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  const ended = await run(env).finally(() => proxy.stop());
  return { ...ended, requests: proxy.requests };
}

export const runImport = (args: string[], options?: Run) =>
  runCommand(importCommand, args, options);

async function ended(
  command: Command,
  io: CommandIo & { stdout: PassThrough; stderr: PassThrough },
): Promise<Ended> {
  const exit = execute(command, io).finally(() => {
    io.stdout.end();
    io.stderr.end();
  });
  const [exitCode, out, err] = await Promise.all([exit, text(io.stdout), text(io.stderr)]);
  return { exitCode, out, err };
}

/** The SDK reads its settings from `process.env`. */
async function withEnvironment<T>(env: NodeJS.ProcessEnv, work: () => Promise<T>): Promise<T> {
  const own = process.env;
  process.env = { ...env };
  try {
    return await work();
  } finally {
    process.env = own;
  }
}

export function start(
  command: string,
  args: string[],
  { input = '', env = environment() }: Run = {},
): ChildProcessWithoutNullStreams {
  const script = fileURLToPath(new URL(`../../infra/${command}.ts`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], { env, cwd: tmpdir() });
  child.stdin.on('error', () => undefined);
  if (input instanceof Readable) input.pipe(child.stdin);
  else child.stdin.end(input);
  return child;
}
