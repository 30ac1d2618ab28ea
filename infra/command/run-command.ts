import { realpathSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { IDENTIFIER_RULE, isIdentifier } from '../../functions/domain/identifier.ts';
import { explain, nameOf } from './failure.ts';
import { abortOnSignal } from './signals.ts';

export type Output = Writable & { readonly isTTY?: boolean };

export interface CommandIo {
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  stdin: Readable & { readonly isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /** Until this is called, Ctrl-C ends the process at once. */
  abortOnSignal(): AbortSignal;
}

export interface Command {
  /** Its first paragraph is also printed after an invalid command line. */
  usage: string;
  /** Rejects whenever the operator must correct something, even if the work is done. */
  run(io: CommandIo): Promise<undefined>;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @returns the exit code: 2 for an invalid command line, 1 for another error. */
export async function execute({ usage, run }: Command, io: CommandIo): Promise<number> {
  if (io.args.includes('--help') || io.args.includes('-h')) {
    io.stdout.write(usage);
    return 0;
  }
  try {
    await run(io);
    return 0;
  } catch (error) {
    // Whatever reads the output, such as `head`, has ended.
    if (error instanceof Error && nameOf(error) === 'EPIPE') return 1;
    io.stderr.write(`${explain(error)}\n`);
    if (!(error instanceof UsageError)) return 1;
    const [synopsis] = usage.split('\n\n');
    io.stderr.write(`\n${synopsis}\n\nUse --help for the options.\n`);
    return 2;
  }
}

/** Does nothing if `module` was only imported. */
export async function runMain(module: ImportMeta, command: Command): Promise<void> {
  const [, script = ''] = process.argv;
  // Not `import.meta.main`, which is false because infra/run.mjs imports the command.
  if (realpathSync(script) !== module.filename) return;
  const { env, stdin, stdout, stderr } = process;
  // A proxy could not reach the local service. Node.js reads the variable for each request, so it is not too late to
  // set it here.
  const noProxy = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  env[noProxy] = [env[noProxy], '127.0.0.1'].filter(Boolean).join();
  const io = { args: process.argv.slice(2), env, stdin, stdout, stderr, abortOnSignal };
  // Some writes are not awaited, but must still fail the command if they fail.
  for (const output of [stdout, stderr]) {
    output.on('error', () => {
      process.exitCode = 1;
    });
  }
  const exitCode = await execute(command, io);
  process.exitCode ||= exitCode;
}

/** @throws UsageError if the command line is invalid or a value is empty. */
export function readOptions<const T extends ParseArgsConfig>(config: T) {
  const parsed = parseOptions(config);
  for (const [name, value] of Object.entries(parsed.values)) {
    if (value === '') throw new UsageError(`--${name} needs a value.`);
  }
  return parsed;
}

/**
 * Unlike `readOptions`, accepts empty values.
 * @throws UsageError if the command line is invalid.
 */
export function parseOptions<const T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    const isUsage = error instanceof Error && nameOf(error).startsWith('ERR_PARSE_ARGS_');
    throw isUsage ? new UsageError(error.message) : error;
  }
}

export function requireIdentifier(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${option} is required.`);
  if (isIdentifier(value)) return value;
  throw new UsageError(`--${option} must be ${IDENTIFIER_RULE}.`);
}
